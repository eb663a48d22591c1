package import Daybook
import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// A store as front ends of any language call it: the methods of `Method.all`, in JSON-RPC 2.0.
///
/// The doors (socket, page, pipe, C) only carry the texts. Subscriptions need a connection that
/// notifications can go through: see `RPCConnection`.
package struct Front: ServedStores {
    private enum Holding {
        case store(Store)
        case use(LogUse)
    }

    private let holding: Holding
    /// The path of the store's folder.
    package let home: String
    /// Addresses of the page beside the front; nil where callers may make none.
    let pageAddresses: PageAddresses?

    /// Opens the store in a folder; `frontEnd` names the door in the log.
    ///
    /// - Throws: `DaybookError`, as `Store.init`.
    package init(
        opening home: String, frontEnd: String, acceptsClock: Bool = false,
        pageAddresses: PageAddresses? = nil, activity: StoreActivity? = nil
    ) throws {
        var options = StoreOptions()
        (options.acceptsClock, options.activity) = (acceptsClock, activity)
        holding = .store(try Store(opening: home, frontEnd: frontEnd, options: options))
        self.home = home
        self.pageAddresses = pageAddresses
    }

    /// A front of a store that is already open.
    package init(of store: Store) {
        holding = .store(store)
        home = store.path
        pageAddresses = nil
    }

    /// A front of one of many logs, which stays open for as long as the front lives.
    init(of use: LogUse) {
        holding = .use(use)
        home = use.store.path
        pageAddresses = nil
    }

    package var store: Store {
        switch holding {
        case .store(let store): store
        case .use(let use): use.store
        }
    }

    /// The use of one of many logs; nil for a front of a store of its own.
    var use: LogUse? {
        if case .use(let use) = holding { use } else { nil }
    }

    /// The front as the page calls it, which makes no addresses of itself.
    ///
    /// Otherwise a session that somebody took over could be made to last for ever.
    package var ofPage: Front { Front(of: store) }

    package var executor: (any TaskExecutor)? { nil }

    package var activity: StoreActivity { store.activity }

    /// This front, if the log is the store's.
    package func front(ofLog log: String?) async throws -> Front {
        guard let log else { return self }
        let own = try await store.logID
        guard Text.equal(log, own) else {
            throw CommandFailure(
                "logNotServed", .store, "only the log \(own) is served here, not \(log)")
        }
        return self
    }
}

extension Front {
    static func success(_ result: JSON, _ id: JSON) -> WipedBytes {
        JSON.record(["jsonrpc": .string("2.0"), "id": id, "result": result]).line
    }

    /// Adds the words of a new wallet to the end of an answer's result, as the member `mnemonic`.
    ///
    /// Words are lower-case letters and spaces, which need no escaping.
    static func add(_ words: WipedBytes, to answer: WipedBytes) {
        answer.removeLast(2)
        answer.append(Array(#","mnemonic":""#.utf8))
        answer.append(words)
        answer.append(Array(#""}}"#.utf8))
    }

    static func notification(_ method: String, _ params: JSON) -> WipedBytes {
        JSON.record([
            "jsonrpc": .string("2.0"), "method": .string(method), "params": params,
        ]).line
    }
}

/// The action after a call's answer.
final class CallReply: Sendable {
    private let followUp = Monitor<(@Sendable () -> Void)?>(nil)

    /// Does something when the answer has been sent.
    func afterwards(_ body: @escaping @Sendable () -> Void) { followUp.change { $0 = body } }

    func sent() {
        let body = followUp.change { body in
            defer { body = nil }
            return body
        }
        body?()
    }
}
