import DaybookCommands
import DaybookDomain
import DaybookEncoding
import DaybookReplay

extension Command {
    static let diff = Command(
        "diff", "A B", count: 2...2, does: """
            where two logs part, and what that makes of their states
            Logs with different ids are compared as if they had the same.
            """
    ) { invocation in
        let (left, right) = (
            try Source(invocation.arguments[0]), try Source(invocation.arguments[1]))
        let common = try left.commonPrefix(with: right)
        let first = try firstDifference(left, right, at: common)
        let states = StateDifference(try left.state(), try right.state())
        try report(Answer(left, right, common: common, first: first, states), invocation.console)
        return left.count == common && right.count == common ? .done : .refused
    }

    private static func firstDifference(
        _ left: Source, _ right: Source, at position: UInt64
    ) throws -> Divergence? {
        if position < left.count, position < right.count {
            return LogDiff.firstDifference(
                try left.record(at: position), try right.record(at: position))
        }
        return nil
    }

    private static func report(_ answer: Answer, _ console: Console) throws {
        try console.result(answer.json, answer.lines.joined(separator: "\n"))
    }
}

/// The result of a comparison.
private struct Answer {
    private let sizes: (UInt64, UInt64)
    private let isSameLog: Bool
    private let common: UInt64
    private let first: Divergence?
    private let states: StateDifference

    init(
        _ left: Source, _ right: Source, common: UInt64, first: Divergence?,
        _ states: StateDifference
    ) {
        sizes = (left.count, right.count)
        isSameLog = left.logID == right.logID
        self.common = common
        self.first = first
        self.states = states
    }

    var json: JSON {
        .record([
            "sameLog": .bool(isSameLog),
            "events": .record(["a": .int(sizes.0), "b": .int(sizes.1)]),
            "common": .int(common),
            "first": first.map {
                .record([
                    "position": .int($0.position), "field": .string($0.field),
                    "a": .string($0.recorded), "b": .string($0.produced),
                ])
            },
            "rows": .array(
                states.projections.map {
                    .record([
                        "projection": .string($0.name), "onlyA": .int($0.onlyLeft),
                        "onlyB": .int($0.onlyRight), "different": .int($0.different),
                    ])
                }),
            "balances": .array(states.balances.map { $0.json(names: ("a", "b")) }),
        ])
    }

    var lines: [TerminalText] {
        var lines: [TerminalText] = [
            "A has \(sizes.0) events, B has \(sizes.1)"
                + (isSameLog ? "" : "; they are logs of their own"),
            "the first \(common) are the same",
        ]
        if let first {
            lines.append(
                "event \(first.position), \(first.field): A has \(first.recorded), "
                    + "B has \(first.produced)")
        } else if sizes.0 != sizes.1 {
            lines.append("\(sizes.0 > sizes.1 ? "A" : "B") goes on")
        }
        if states.isEmpty { return lines + ["their states are the same"] }
        let rows = states.projections.map {
            [$0.name, String($0.onlyLeft), String($0.onlyRight), String($0.different)]
        }
        lines.append(
            Console.columns(
                [["rows of the state", "only A", "only B", "different"]] + rows,
                right: [1, 2, 3]))
        return lines + states.balances.map { $0.text(words: ("A", "B")) }
    }
}
