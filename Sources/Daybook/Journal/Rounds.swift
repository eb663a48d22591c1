/// Work done in rounds, each for all tasks that wait for it: one look at a chain for many payments.
///
/// For example:
///
///     let answer = await rounds.join(item) { items in await answers(to: items) }
///
/// A task that joins during a round is part of the next one. The first task of a round does its
/// work for all others. All tasks share one isolation.
final class Rounds<Item, Answer: Sendable> {
    private var waiting: [Member] = []
    /// Whether a round is under way, or about to be.
    private var isLed = false

    private struct Member {
        let item: Item
        let resumption: CheckedContinuation<Call, Never>
    }

    /// Why a task that waited goes on.
    private enum Call: Sendable {
        case done(Answer)
        case leads
    }

    /// Adds an item to the next round; `work` gives each item of a round its answer, in order. The
    /// first item is that of the task which does the work.
    func join(_ item: Item, _ work: ([Item]) async -> [Answer]) async -> Answer {
        if isLed {
            let call = await withCheckedContinuation { resumption in
                waiting.append(Member(item: item, resumption: resumption))
            }
            if case .done(let answer) = call { return answer }
        }
        isLed = true
        let others = waiting
        waiting = []
        let answers = await work([item] + others.map(\.item))
        precondition(answers.count == others.count + 1, "each item of a round has its answer")
        for (member, answer) in zip(others, answers.dropFirst()) {
            member.resumption.resume(returning: .done(answer))
        }
        if waiting.isEmpty {
            isLed = false
        } else {
            waiting.removeFirst().resumption.resume(returning: .leads)
        }
        return answers[0]
    }
}
