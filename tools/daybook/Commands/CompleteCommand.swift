import Daybook
import DaybookCommands
import DaybookEncoding

/// A list of the store's with which shells complete a word.
enum CompletedList: String, CaseIterable {
    case requests, wallets
}

extension Command {
    /// Prints what can stand in a place, a word a line, for the scripts of `completion`.
    static let complete = Command(
        "complete", "requests|wallets", count: 1...1, does: """
            print what a word can be completed with: requests' numbers, or wallets
            The scripts of `completion` call it.
            """
    ) { invocation, store in
        let list: CompletedList = try WordChoice.named(invocation.arguments[0], for: "complete")
        for word in try await list.words(of: store) {
            try invocation.console.result(.record(["word": .string(word)]), "\(word)")
        }
        return .done
    }
}

extension CompletedList {
    /// How many requests are offered, the newest first.
    private static let mostRequests = 50

    fileprivate func words(of store: Store) async throws -> [String] {
        switch self {
        case .requests:
            let waiting = try await store.requests(
                status: [.pending, .signed, .sent], limit: Self.mostRequests)
            let newest = try await store.requests(limit: Self.mostRequests)
            let others = newest.requests.map(\.id).filter { id in
                !waiting.requests.contains { $0.id == id }
            }
            return (waiting.requests.map(\.id) + others).map(\.description)
        case .wallets:
            return try await store.wallets().flatMap { wallet in
                [wallet.label].compactMap(\.self).filter(Self.isWord) + [wallet.id.description]
            }
        }
    }

    /// Whether a label can be a word of a command line: one line without marks that hide, and no
    /// option.
    private static func isWord(_ label: String) -> Bool {
        !label.isEmpty && !label.hasPrefix("-") && Text.equal(Text.escaped(label), label)
    }
}
