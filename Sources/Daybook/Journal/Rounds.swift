/// Work done in rounds, each for all tasks that wait for it: one commit for many inputs, one look
/// at a chain for many payments.
///
/// For example:
///
///     let answer = await rounds.join(item) { items in items.map(answer) }
///
/// Who comes while a round is under way waits for the next one, which begins after it came. The
/// first of those who wait does the work for all of them. It belongs to one isolation.
final class Rounds<Item, Answer: Sendable> {
    private var waiting: [Member] = []
    /// Whether somebody does the work, or is about to.
    private var isLed = false
    private let elsewhere = Elsewhere()
    /// How many come together of late: falls by one with each round that has fewer.
    private var usual = 1
    /// How often they are waited for: who does not come soon waits for a disk or a node.
    private static var patience: Int { 8 }

    private struct Member {
        let item: Item
        /// Nil in the member that leads because nobody else did.
        let resumption: CheckedContinuation<Call, Never>?
    }

    /// What a member that waits is called for.
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
        } else {
            isLed = true
            waiting.append(Member(item: item, resumption: nil))
        }
        return await lead(work)
    }

    private func lead(_ work: ([Item]) async -> [Answer]) async -> Answer {
        // Whoever is ready to join does so now. Those of a crowd come back from the last round one
        // by one: a round for the first of them alone would keep the others waiting and part them
        // for good. Not a function of its own: where one ends with an await, the optimiser of
        // Swift 6.3 drops the way back to its caller's isolation.
        await elsewhere.visit()
        for _ in 0..<Self.patience where waiting.count < usual { await elsewhere.linger() }
        let members = waiting
        waiting = []
        usual = max(members.count, usual - 1)
        let answers = await work(members.map(\.item))
        precondition(answers.count == members.count, "each item of a round has its answer")
        for (member, answer) in zip(members, answers).dropFirst() {
            member.resumption?.resume(returning: .done(answer))
        }
        if let next = waiting.first {
            next.resumption?.resume(returning: .leads)
        } else {
            isLed = false
        }
        return answers[0]
    }
}

/// Somewhere to go for a moment: who comes back stands behind all that were ready to go on.
private actor Elsewhere {
    // A visit must do something, or it is optimised away.
    private var visits: UInt64 = 0

    func visit() { visits &+= 1 }

    /// Stays until everybody else who could go on was given a thread.
    func linger() async {
        visits &+= 1
        await Task.yield()
    }
}
