internal import Attacks
internal import DaybookSystem
internal import Synchronization

/// The results of the attacks so far, which are also written to a journal.
final class Tally: Sendable {
    private let campaign: Campaign
    private let journal: String?
    private let state = Mutex(State())

    private struct State {
        var next = 0
        /// Attacks that were begun, and what came of those that ended.
        var begun: [Int] = []
        var answers: [Int: Verdict.Answer] = [:]
        var findings: [Int: [String]] = [:]
        var text = ""
    }

    /// Continues where an earlier run's journal ends.
    init(_ campaign: Campaign, journal: String?) throws {
        self.campaign = campaign
        self.journal = journal
        guard let journal, try Files.exists(journal) else { return }
        let text = String(decoding: try Files.read(journal, limit: 1 << 28), as: UTF8.self)
        state.withLock { state in
            state.text = text
            for line in text.split(separator: "\n") {
                let words = line.split(separator: "\t").map(String.init)
                guard words.count > 1, let number = Int(words[1]) else { continue }
                if words[0] == "begun" { state.begun.append(number) }
                if words[0] == "ended", words.count > 2 {
                    state.answers[number] = Verdict.Answer(rawValue: words[2])
                    state.findings[number] = Array(words[3...])
                }
            }
            for number in state.begun where state.answers[number] == nil {
                state.answers[number] = .found
                state.findings[number] = ["the program was ended by a trap, or by one beside it"]
            }
        }
    }

    /// Carries attacks out on all processors, in their order, until the time is over.
    func run(_ order: [Int], until end: UInt64, _ plant: Weakness.Name?) async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<Process.cores {
                group.addTask { [self] in
                    while Clock.monotonicMicroseconds() < end, let number = try begin(order) {
                        try note(number, await campaign.run(number, plant: plant))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func begin(_ order: [Int]) throws -> Int? {
        try state.withLock { state in
            while state.next < order.count {
                let number = order[state.next]
                state.next += 1
                if state.answers[number] != nil { continue }
                try write("begun\t\(number)", &state)
                return number
            }
            return nil
        }
    }

    private func note(_ number: Int, _ verdict: Verdict) throws {
        try state.withLock { state in
            state.answers[number] = verdict.answer
            state.findings[number] = verdict.findings
            let words = ["ended", String(number), verdict.answer.rawValue] + verdict.findings
            try write(words.joined(separator: "\t"), &state)
        }
    }

    private func write(_ line: String, _ state: inout State) throws {
        guard journal != nil else { return }
        try StandardStreams.write("\(line)\n", to: .error)
    }

    /// Prints the findings and the table; the status is 1 if there is a finding.
    func report(of count: Int) -> Int32 {
        let (answers, findings) = state.withLock { ($0.answers, $0.findings) }
        let found = answers.filter { $0.value == .found }.keys.sorted()
        for number in found {
            print("\(number)\t\(campaign.title(number))")
            for finding in findings[number] ?? [] { print("\t\(finding)") }
        }
        var table: [String: [Verdict.Answer: Int]] = [:]
        for (number, answer) in answers {
            table[campaign.kind(number), default: [:]][answer, default: 0] += 1
        }
        let names = Verdict.Answer.allCases.map(\.rawValue).joined(separator: "\t")
        print("attacks\t\(names)\tkind")
        for (kind, counts) in table.sorted(by: { $0.key < $1.key }) {
            let numbers = Verdict.Answer.allCases.map { String(counts[$0] ?? 0) }
            let sum = counts.values.reduce(0, +)
            print("\(sum)\t" + numbers.joined(separator: "\t") + "\t\(kind)")
        }
        print("\(answers.count) of \(count) attacks: \(found.count) found something")
        return found.isEmpty ? 0 : 1
    }
}
