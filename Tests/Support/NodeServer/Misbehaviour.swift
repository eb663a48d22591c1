import DaybookChains
import DaybookEncoding

/// A fault that a test switches on in a server.
///
/// The named ones below are what tests use; the cases are what they are made of.
package enum Misbehaviour: Sendable {
    /// This HTTP answer in place of any other; the node hears nothing of the call.
    case reply(status: Int, headers: [String: String] = [:], body: String = "")
    /// This JSON-RPC error in place of an answer; the node hears nothing of the call.
    case error(code: Int, message: String)
    /// The result that this makes of the true one.
    case altered(@Sendable (JSON) -> JSON)
    /// An answer made of a call's params and the true answer; the node has taken the call.
    case invented(@Sendable (_ params: JSON, _ truth: Invention) -> Invention)
    /// The answer has another id than the request.
    case otherID
    /// The first half of the answer, and the connection is closed.
    case half
    /// Nothing, though the node has taken the call; the connection is closed.
    case losesAnswer
    /// Nothing, and the node hears nothing of the call; the connection is closed.
    case closes
    /// Nothing, until the client gives up; the node hears nothing of the call.
    case silent
    /// Answers, and closes the connection without having said so.
    case closesIdle
    /// Closes a connection unanswered when a second request comes on it.
    case closesReused
    /// A body of this many bytes, or one without end.
    case long(bytes: Int?)
    /// One byte of the body at a time, with so many milliseconds between them.
    case slow(milliseconds: UInt32)
}

extension Misbehaviour {
    /// A result or an error.
    package typealias Invention = Result<JSON, NodeRefusal>
}

// MARK: - Other answers

extension Misbehaviour {
    /// Every password is refused.
    package static let wrongPassword = reply(
        status: 401, headers: ["WWW-Authenticate": #"Basic realm="jsonrpc""#])
    /// The user may not do this.
    package static let forbidden = reply(status: 403)
    /// There is nothing at this path.
    package static let notFound = reply(status: 404)
    /// More calls wait than the node takes.
    package static let busy = reply(status: 503, body: "Work queue depth exceeded")
    /// The node is starting.
    package static let warmUp = error(code: -28, message: "Verifying blocks…")

    /// A page for people.
    package static func html(_ status: Int = 200) -> Misbehaviour {
        reply(
            status: status, headers: ["Content-Type": "text/html"],
            body: "<!DOCTYPE html><html><body><h1>It works!</h1></body></html>")
    }

    /// The client is sent elsewhere; to the same server where no place is given.
    package static func redirect(to place: String = "/") -> Misbehaviour {
        reply(status: 302, headers: ["Location": place])
    }

    /// JSON with so many levels of arrays.
    package static func deep(_ levels: Int = 100_000) -> Misbehaviour {
        let (open, close) = ("[", "]")
        let array = String(repeating: open, count: levels) + String(repeating: close, count: levels)
        return reply(
            status: 200, headers: ["Content-Type": "application/json"],
            body: #"{"result":\#(array),"error":null,"id":1}"#)
    }

    /// This text as the answer, whatever it is.
    package static func text(_ body: String) -> Misbehaviour {
        reply(status: 200, headers: ["Content-Type": "application/json"], body: body)
    }
}

// MARK: - Lies

extension Misbehaviour {
    /// This result in place of any other; an error stays one.
    package static func result(_ result: JSON) -> Misbehaviour {
        altered { _ in result }
    }

    /// Every number of the result as a text.
    package static let numbersAsStrings = altered { result in
        result.mapped { value in value.numberLiteral.map { .string($0) } ?? value }
    }

    /// Every text of the result that is a number, decimal or hexadecimal, as a number.
    package static let stringsAsNumbers = altered { result in
        result.mapped { value in
            guard let text = value.stringValue else { return value }
            if let number = UInt256(decimal: text) { return .number(number.decimal) }
            guard text.hasPrefix("0x"), let number = UInt256(hex: text.dropFirst(2))
            else { return value }
            return .number(number.decimal)
        }
    }

    /// Every member of this name as this makes it.
    package static func members(
        _ name: String, _ change: @escaping @Sendable (JSON) -> JSON
    ) -> Misbehaviour {
        altered { $0.mapped(member: name, change) }
    }

    /// Every amount of the node's lists is off by some duffs.
    package static func amounts(offBy duffs: Int64) -> Misbehaviour {
        members("satoshis") { .int(($0.intValue ?? 0) + duffs) }
    }

    /// Every height is off by some blocks.
    package static func heights(offBy blocks: Int64) -> Misbehaviour {
        members("height") { .int(($0.intValue ?? 0) + blocks) }
    }

    /// Every script of the node's lists is this one.
    package static func scripts(_ script: Bytes) -> Misbehaviour {
        members("script") { _ in .string(Hex.encode(script)) }
    }

    /// Every list is empty.
    package static let emptyList = result(.array([]))

    /// The node's lists lack a transaction.
    package static func leavingOut(_ txid: TransactionID) -> Misbehaviour {
        altered { .array(($0.arrayValue ?? []).filter { $0["txid"]?.stringValue != txid.hex }) }
    }

    /// Every transaction id of the node's lists is this one.
    package static func txids(_ txid: TransactionID) -> Misbehaviour {
        members("txid") { _ in .string(txid.hex) }
    }
}

extension JSON {
    /// This value with every value in it replaced, the innermost first.
    package func mapped(_ change: (JSON) -> JSON) -> JSON {
        switch self {
        case .array(let values): change(.array(values.map { $0.mapped(change) }))
        case .object(let members):
            change(
                .object(members.map { Member(name: $0.name, value: $0.value.mapped(change)) }))
        default: change(self)
        }
    }

    /// This value with every member of a name replaced.
    package func mapped(member name: String, _ change: (JSON) -> JSON) -> JSON {
        mapped { value in
            guard let members = value.objectValue else { return value }
            return .object(
                members.map { member in
                    guard member.name == name else { return member }
                    return Member(name: name, value: change(member.value))
                })
        }
    }
}
