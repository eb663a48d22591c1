import Daybook
import DaybookCommands
import DaybookEncoding

extension Command {
    static let settings = Command(
        "settings", "[KEY [VALUE]]", count: 0...2, does: """
            list the settings, show one, or set it
            A running server uses a new value from its next commit on. A list is written with
            commas; '' is an empty one.
            """,
        options: [Option("--standard", nil, "give KEY its standard value again")], changes: true
    ) { invocation, store in
        let words = invocation.arguments
        let isReset = invocation.has("--standard")
        guard !isReset || words.count == 1 else {
            throw CommandFailure.usage("--standard goes with KEY alone")
        }
        let shown: [StoreSetting]
        if words.count == 2 || isReset {
            shown = [try await store.set(words[0], to: isReset ? nil : words[1])]
        } else if let key = words.first {
            shown = [try await store.setting(key)]
        } else {
            shown = try await store.settings()
        }
        for setting in shown {
            try invocation.console.result(setting.json, setting.text)
        }
        return .done
    }
}

extension StoreSetting {
    fileprivate var json: JSON {
        .record([
            "key": .string(key), "value": json(of: value), "standard": json(of: standard),
            "help": .string(help),
        ])
    }

    private func json(of text: String) -> JSON {
        isList
            ? .array(text.split(separator: ",").map { JSON.string(String($0)) }) : .number(text)
    }

    fileprivate var text: TerminalText {
        "\(key) = \(value)\n    \(help); \(values), usually \(standard.isEmpty ? "none" : standard)"
    }
}
