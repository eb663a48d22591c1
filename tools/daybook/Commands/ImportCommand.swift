import Daybook
import DaybookCommands
import DaybookEncoding

extension Command {
    static let `import` = Command(
        "import", "FILE", count: 1...1, does: """
            take the events of an exported log into a store that lacks them
            The store is one without events, or one of the same log that stopped earlier. FILE is
            a .daybook or .jsonl export, and is proven first: every event is decided again, and
            one that does not follow is refused by its position. Nothing is sent to anybody.
            """, changes: true
    ) { invocation, store in
        let summary = try await store.import(from: invocation.arguments[0])
        try invocation.console.result(summary.json, summary.text)
        return .done
    }
}

extension ImportSummary {
    fileprivate var json: JSON {
        .record([
            "events": .int(events), "root": .string(root), "status": .string(status.rawValue),
            "added": .int(added), "notChecked": .int(notChecked),
        ])
    }

    fileprivate var text: TerminalText {
        if notChecked == 0 { return outcome }
        return outcome + "\nnot checked: \(notChecked) events are of types that are unknown here"
    }

    private var outcome: TerminalText {
        switch status {
        case .restored: "restored a log of \(events) events; its root is \(root)"
        case .continued: "added \(added) events; the log has \(events) and the root \(root)"
        case .unchanged: "the log has all of it; it has \(events) events and the root \(root)"
        }
    }
}
