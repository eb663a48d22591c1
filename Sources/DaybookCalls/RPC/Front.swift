package import Daybook
import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// A store as front ends of any language call it: the methods of `Method.all`, in JSON-RPC 2.0.
///
/// The doors (socket, page, pipe, C) only carry the texts. Subscriptions need a connection that
/// notifications can go through: see `RPCConnection`.
package struct Front: Sendable {
    package let store: Store
    /// The path of the store's folder.
    package let home: String
    /// Addresses of the page beside the front; nil where callers may make none.
    let pageAddresses: PageAddresses?

    /// Opens the store in a folder; `frontEnd` names the door in the log.
    ///
    /// - Throws: `DaybookError`, as `Store.init`.
    package init(
        opening home: String, frontEnd: String, acceptsClock: Bool = false,
        pageAddresses: PageAddresses? = nil
    ) throws {
        store = try Store(opening: home, frontEnd: frontEnd, acceptsClock: acceptsClock)
        self.home = home
        self.pageAddresses = pageAddresses
    }

    /// A front of a store that is already open.
    package init(of store: Store) {
        self.store = store
        home = store.path
        pageAddresses = nil
    }

    /// The front as the page calls it, which makes no addresses of itself.
    ///
    /// Otherwise a session that somebody took over could be made to last for ever.
    package var ofPage: Front { Front(of: store) }

    /// Answers a request's text, which is wiped; nil for a notification, which has no answer.
    ///
    /// The answer may hold the words of a new wallet: wipe it after use.
    package func answer(_ text: consuming [UInt8]) async -> [UInt8]? {
        await call(text).text
    }

    /// Performs a request that came by a connection, if there is one.
    func answer(
        _ request: RPCRequest, to connection: RPCConnection?
    ) async throws(RPCError) -> (text: [UInt8]?, reply: CallReply) {
        guard let method = Method.named(request.method) else {
            throw RPCError(
                .unknownMethod,
                "there is no method '\(CommandFailure.quoted(request.method))'", id: request.id)
        }
        let arguments: Arguments
        do {
            arguments = try Arguments(request.params, request.secrets, for: method)
        } catch {
            throw RPCError(.invalidParameters, error.message, id: request.id)
        }
        let reply = CallReply()
        let call = Call(
            front: self, arguments: arguments, connection: connection, id: request.id,
            reply: reply)
        let result: JSON
        do {
            result = try await method.run(call)
        } catch {
            throw RPCError(CommandFailure(explaining: error), id: request.id)
        }
        guard let id = request.id else { return (nil, reply) }
        return (reply.withWords(Self.success(result, id)), reply)
    }

    static func success(_ result: JSON, _ id: JSON) -> [UInt8] {
        let answer = JSON.record(["jsonrpc": .string("2.0"), "id": id, "result": result])
        return Array(answer.text().utf8)
    }

    static func notification(_ method: String, _ params: JSON) -> [UInt8] {
        let text = JSON.record([
            "jsonrpc": .string("2.0"), "method": .string(method), "params": params,
        ])
        return Array(text.text().utf8)
    }
}

/// What a call's answer is followed by, and the words of a new wallet that it holds.
final class CallReply: Sendable {
    /// The words are bytes, which can be wiped.
    private let words = Monitor<[UInt8]>([])
    private let followUp = Monitor<(@Sendable () -> Void)?>(nil)

    deinit { words.change { SecretArguments.wipe(&$0) } }

    func set(words new: Span<UInt8>) {
        var copy: [UInt8] = []
        copy.reserveCapacity(new.count)
        for index in new.indices { copy.append(new[index]) }
        words.change { $0 = copy }
    }

    /// Does something when the answer has been sent.
    func afterwards(_ body: @escaping @Sendable () -> Void) { followUp.change { $0 = body } }

    func sent() {
        let body = followUp.change { body in
            defer { body = nil }
            return body
        }
        body?()
    }

    /// The answer with the member `mnemonic` at the end of its result, if there are words.
    ///
    /// Words are lower-case letters and spaces, which need no escaping.
    func withWords(_ answer: [UInt8]) -> [UInt8] {
        words.change { words in
            if words.isEmpty { return answer }
            var text: [UInt8] = []
            text.reserveCapacity(answer.count + words.count + 16)
            text += answer.dropLast(2)
            text += Array(#","mnemonic":""#.utf8)
            text += words
            text += Array(#""}}"#.utf8)
            return text
        }
    }
}
