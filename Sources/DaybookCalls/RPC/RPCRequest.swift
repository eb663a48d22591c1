import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// A request of JSON-RPC 2.0, read from its text.
struct RPCRequest: Sendable {
    /// The id that the answer repeats; nil for a notification, which is not answered.
    let id: JSON?
    let method: String
    let params: JSON?
    let secrets: SecretArguments

    /// The longest text of a request, in bytes.
    static let longest = 1 << 20

    /// Reads a request and wipes its text.
    init(wiping text: WipedBytes) throws(RPCError) {
        defer { text.wipe() }
        guard text.count <= Self.longest else { throw .tooLong }
        secrets = SecretArguments(SecretScanner.take(from: text))
        let value: JSON
        do {
            // The secrets are overwritten: what is parsed need not be wiped.
            value = try JSON.parse(text.unprotected(), maximumDepth: 32)
        } catch {
            throw error.reason == .tooDeep || error.reason == .tooManyValues
                ? RPCError(.invalidRequest, "\(error)") : RPCError(.parseError, "\(error)")
        }
        guard value.arrayValue == nil else {
            throw RPCError(.invalidRequest, "a batch is refused: send one request a line")
        }
        id = value["id"]
        guard value["jsonrpc"]?.stringValue == "2.0" else {
            throw RPCError(.invalidRequest, "\"jsonrpc\" must be \"2.0\"", id: Self.answerable(id))
        }
        guard let method = value["method"]?.stringValue else {
            throw RPCError(.invalidRequest, "\"method\" is missing", id: Self.answerable(id))
        }
        guard id == nil || Self.answerable(id) != nil else {
            throw RPCError(.invalidRequest, "\"id\" is a text, a number or null")
        }
        self.method = method
        params = value["params"]
    }

    /// An id that can be repeated in an answer: a short text, a number or null.
    private static func answerable(_ id: JSON?) -> JSON? {
        switch id {
        case .string(let text) where text.utf8.count <= 256: id
        case .number(let literal) where literal.utf8.count <= 64: id
        case .null: id
        default: nil
        }
    }
}

/// An error that is answered: JSON-RPC's number, the stable code, and a sentence.
struct RPCError: Error {
    let number: Int
    let failure: CommandFailure
    var id: JSON?

    /// JSON-RPC's own numbers.
    enum Kind: Int {
        case parseError = -32700
        case invalidRequest = -32600
        case unknownMethod = -32601
        case invalidParameters = -32602

        fileprivate var code: String {
            switch self {
            case .parseError: "parseError"
            case .invalidRequest: "invalidRequest"
            case .unknownMethod: "unknownMethod"
            case .invalidParameters: "usage"
            }
        }
    }

    static var tooLong: RPCError {
        RPCError(.invalidRequest, "a request has at most \(RPCRequest.longest) bytes")
    }

    init(_ kind: Kind, _ message: String, id: JSON? = nil) {
        number = kind.rawValue
        failure = CommandFailure(kind.code, .usage, quoting: message)
        self.id = id
    }

    /// The failure of a call: -32000 less the exit status of the same command.
    init(_ failure: CommandFailure, id: JSON?) {
        number = -32000 - Int(failure.status.rawValue)
        self.failure = failure
        self.id = id
    }

    var answer: JSON {
        .record([
            "jsonrpc": .string("2.0"), "id": id ?? .null,
            "error": .record([
                "code": .int(number), "message": .string(failure.message),
                "data": .record([
                    "code": .string(failure.code),
                    "position": failure.position.map { .int($0) },
                ]),
            ]),
        ])
    }
}

extension JSON {
    /// The text of the value as a line for a door.
    var line: WipedBytes { WipedBytes(copying: Array(text().utf8)) }
}
