package import Daybook
import DaybookCommands
package import DaybookEncoding

extension NodeStatus {
    static let resultType = ResultType(
        "Node",
        [
            .init("chain", .text), .init("network", .text), .init("url", .text),
            .optional("debugURL", .text), .optional("certificates", .text),
            .optional("proxy", .text), .init("ok", .flag), .optional("tip", .number),
            .optional("problem", .text), .optional("code", .text),
            .optional("notes", .list(.text)),
        ])

    /// The node and its status as an object.
    package var json: JSON {
        .record([
            "chain": .string(node.chain.rawValue), "network": .string(node.network.rawValue),
            "url": .string(node.url), "debugURL": node.debugURL.map(JSON.string),
            "certificates": node.certificates.map(JSON.string),
            "proxy": node.proxy.map(JSON.string), "ok": .bool(isOK),
            "tip": tip.map { .int($0) }, "problem": problem.map { .string($0.sentence) },
            "code": problem.map { .string($0.code.rawValue) },
            "notes": notes.isEmpty ? nil : .array(notes.map(JSON.string)),
        ])
    }
}

extension NodeStatus {
    /// The node, its status and notes on it, each on a line.
    var text: TerminalText {
        let place = "\(node.chain.rawValue) \(node.network.rawValue)"
        let standing = tip.map { "ok, at block \($0)" } ?? problem?.sentence ?? ""
        let lines: [TerminalText] = ["\(place)  \(Text.escaped(node.url))", "  \(standing)"]
        return (lines + notes.map { "  note: \($0)" }).joined(separator: "\n")
    }
}

extension NodeProblem {
    /// The problem, the advice and the code, on one line, escaped.
    package var sentence: String {
        let advice = advice.map { "; \($0)" } ?? ""
        return Text.onOneLine("\(message)\(advice) (\(code))")
    }

    static let resultType = ResultType(
        "NodeProblem",
        [
            .init("chain", .text), .init("network", .text), .optional("url", .text),
            .init("problem", .text), .init("code", .text),
        ])

    /// The problem as an object.
    package var json: JSON {
        .record([
            "chain": .string(chain.rawValue), "network": .string(network.rawValue),
            "url": url.map(JSON.string), "problem": .string(sentence),
            "code": .string(code.rawValue),
        ])
    }
}

extension SetAsidePart {
    static let resultType = ResultType(
        "SetAside",
        [
            .init("chain", .text), .init("network", .text), .init("kind", .text),
            .optional("txid", .text), .optional("address", .text), .optional("height", .number),
            .init("problem", .text),
        ])

    /// The part as an object.
    package var json: JSON {
        .record([
            "chain": .string(chain.rawValue), "network": .string(network.rawValue),
            "kind": .string(kind), "txid": transaction.map(JSON.string),
            "address": address.map(JSON.string), "height": height.map { .int($0) },
            "problem": .string(Text.onOneLine(sentence)),
        ])
    }
}

extension SyncDifference {
    /// The subject, what was recorded and what is recorded now, in one clause.
    package var sentence: String { "\(about) was recorded \(recorded), and the node says \(found)" }

    static let resultType = ResultType(
        "Difference",
        [
            .init("chain", .text), .init("network", .text), .init("about", .text),
            .init("recorded", .text), .init("found", .text),
        ])

    /// The difference as an object.
    package var json: JSON {
        .record([
            "chain": .string(chain.rawValue), "network": .string(network.rawValue),
            "about": .string(about), "recorded": .string(recorded), "found": .string(found),
        ])
    }
}

extension [ChainTip] {
    /// The heights as an object, by `chain/network`.
    package var json: JSON {
        .object(map { .init(name: $0.chain, value: .int($0.height)) })
    }
}

extension SyncRound {
    static let resultType = ResultType(
        "Sync",
        [
            .init("events", .number), .init("tips", .map(.number)),
            .optional("more", .flag, "true if there is more to ask about"),
            .optional("differences", .number, "how many there are, after a full comparison"),
            .optional("corrected", .list(.object(SyncDifference.resultType)), "the first 100"),
            .optional("payments", .list(.object(PaymentChange.resultType))),
            .optional(
                "passedOver", .list(.object(NodeProblem.resultType)),
                "nodes that others served for"),
            .optional("setAside", .list(.object(SetAsidePart.resultType))),
            .optional("problems", .list(.object(NodeProblem.resultType))),
        ])

    /// The round as `sync` reports it, which leaves out what is empty.
    package func json(_ tips: [ChainTip]) -> JSON {
        .record([
            "events": .int(events), "tips": tips.json,
            "more": isMoreLeft ? .bool(true) : nil,
            "differences": differences.map { .int($0.count) }, "corrected": correctedJSON,
            "payments": paymentsJSON, "passedOver": passedOverJSON, "setAside": setAsideJSON,
            "problems": problems.isEmpty ? nil : problemsJSON,
        ])
    }

    /// The round as `sync --follow` reports it, always with `problems`.
    package func followedJSON(_ tips: [ChainTip]) -> JSON {
        .record([
            "events": .int(events), "tips": tips.json,
            "more": isMoreLeft ? .bool(true) : nil,
            "differences": differences.map { .int($0.count) }, "corrected": correctedJSON,
            "payments": paymentsJSON, "passedOver": passedOverJSON, "setAside": setAsideJSON,
            "problems": problemsJSON,
        ])
    }

    /// The changes of payments; nil if there are none.
    private var paymentsJSON: JSON? {
        payments.isEmpty ? nil : .array(payments.map(\.json))
    }

    /// The parts that were not understood; nil if there are none.
    private var setAsideJSON: JSON? {
        setAside.isEmpty ? nil : .array(setAside.map(\.json))
    }

    /// The first recorded facts that were corrected; nil if there are none.
    private var correctedJSON: JSON? {
        guard let differences, !differences.isEmpty else { return nil }
        return .array(differences.prefix(Self.mostCorrected).map(\.json))
    }

    /// The most differences that are listed one by one; all of them are in the log.
    private static let mostCorrected = 100

    private var problemsJSON: JSON { .array(problems.map(\.json)) }

    /// Failed nodes that others served for; nil if there are none.
    private var passedOverJSON: JSON? {
        passedOver.isEmpty ? nil : .array(passedOver.map(\.json))
    }
}
