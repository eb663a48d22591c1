import DaybookCommands
import DaybookDomain
import DaybookEncoding
import DaybookLinks
import DaybookReplay

extension Command {
    static let whatIf = Command(
        "what-if", "SOURCE", count: 1...1, does: """
            what would differ if a user had decided otherwise
            Inputs that would then have been different are left out and listed; none are invented.
            """,
        options: [Option("--decide", "N=approve|reject", "decide request N this way instead")]
    ) { invocation in
        let (id, decision) = try decision(invocation.value("--decide"))
        let source = try Source(invocation.arguments[0])
        let decider = Links.decider
        var question = WhatIf(request: id, decision, decide: { decider.decide($0, $1) })
        try source.each { try question.feed($0) }
        try report(try question.finish(), of: id, decision, invocation.console)
        return .done
    }

    private static func decision(_ text: String?) throws -> (RequestID, DecisionMade.Decision) {
        let parts = (text ?? "").split(separator: "=", omittingEmptySubsequences: false)
        guard parts.count == 2, let id = OutsideNumber.parse(parts[0]),
            let decision = DecisionMade.Decision(String(parts[1]))
        else { throw CommandFailure.usage("which decision? --decide N=approve, or N=reject") }
        return (RequestID(id), decision)
    }

    private static func report(
        _ result: WhatIf.Result, of id: RequestID, _ decision: DecisionMade.Decision,
        _ console: Console
    ) throws {
        let changed = result.requests.map(\.json) + result.balances.map {
            $0.json(names: ("recorded", "then"))
        }
        let lines = result.requests.map(\.text)
            + result.balances.map { $0.text(words: ("recorded", "then")) }
        try console.result(
            .record([
                "changed": .array(changed), "unknown": .array(result.unknown.map(\.json)),
            ]),
            (["what if request \(id) had been decided as \(decision.rawValue):"]
                + (lines.isEmpty ? ["nothing would differ"] : lines)
                + result.unknown.map(\.text)).joined(separator: "\n"))
    }
}

extension DecisionMade.Decision {
    fileprivate init?(_ text: String) {
        switch text {
        case "approve": self = .approve
        case "reject": self = .reject
        default: return nil
        }
    }
}

extension WhatIf.Change {
    fileprivate var json: JSON {
        .record([
            "request": .int(request), "field": .string(field), "recorded": .string(recorded),
            "then": .string(then),
        ])
    }

    fileprivate var text: TerminalText {
        "request \(request), \(field): recorded \(Text.escaped(recorded)), "
            + "then \(Text.escaped(then))"
    }
}

extension WhatIf.Unknown {
    fileprivate var json: JSON {
        .record([
            "position": position.map { .int($0) }, "request": request.map { .int($0) },
            "type": .string(type), "why": .string(why),
        ])
    }

    fileprivate var text: TerminalText {
        let place = position.map { "event \($0)" } ?? request.map { "request \($0)" }
        return "unknown: \([place, type].compactMap(\.self).joined(separator: ", ")): \(why)"
    }
}

extension StateDifference.Figure {
    /// Both values of the figure, in minor units.
    func json(names: (String, String)) -> JSON {
        .object([
            .init(name: "wallet", value: .int(wallet)),
            .init(name: "asset", value: .string(asset)),
            .init(name: "field", value: .string(field)),
            .init(name: names.0, value: .string(left.decimal)),
            .init(name: names.1, value: .string(right.decimal)),
        ])
    }

    /// The figure for people, with both values in whole coins.
    func text(words: (String, String)) -> TerminalText {
        func coins(_ amount: UInt256) -> String {
            decimals.map { DecimalAmount.format(amount, decimals: $0) }
                ?? "\(amount.decimal) units"
        }
        return "wallet \(wallet), \(field) \(Text.escaped(asset)): "
            + "\(words.0) \(coins(left)), \(words.1) \(coins(right))"
    }
}
