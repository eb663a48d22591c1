import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// ICONex Connect's documented form: `iconex://?data=…&caller=…`.
///
/// `data` is a JSON object in base64 with `id`, `method` and `params`. The answer, a success or a
/// refusal, goes to `caller` in the same encoding. Checks run in the order of the document's codes:
/// each code can occur.
package struct Connect: LinkProtocol {
    package let id = "iconex"
    package let family = "iconex"

    package init() {}

    package func canParse(_ text: Bytes) -> Bool {
        ConnectForm(text) == .documented
    }

    package func parse(_ text: Bytes, by rules: Rules) -> LinkReading {
        guard text.count <= rules.limits.link else {
            return .refused(Refusal(.linkTooLong), caller: nil, reference: nil)
        }
        guard let items = ConnectItems(text) else {
            return .refused(Refusal(.malformedLink), caller: nil, reference: nil)
        }
        // `iconex://developer` and the like switch modes of a wallet, which no link may do.
        guard items.host.isEmpty else {
            return .refused(Refusal(.unknownMethod), caller: nil, reference: nil)
        }
        var caller: Caller?
        var reference: Int64?
        do throws(Refusal) {
            let answered = try Self.caller(items)
            caller = answered
            if let fault = items.fault { throw Refusal(.malformedLink, parameter: fault) }
            let message = try items.object("data")
            let number = try Self.reference(message)
            reference = number
            let action = try Self.action(message)
            return .request(
                Request(
                    link: id, chain: .icon, action: action, caller: answered, reference: number))
        } catch {
            return .refused(error, caller: caller, reference: reference)
        }
    }

    package func code(of refusal: Refusal) -> Int? {
        ConnectCode(refusal)?.rawValue
    }

    package func callback(
        _ reply: Reply, to caller: Caller, reference: Int64?, by rules: Rules
    ) -> String? {
        switch reply {
        case .bound(let result), .signature(let result), .transactionHash(let result):
            return Self.answer(caller, reference, code: ConnectCode.success, result: result)
        case .refused(let refusal):
            guard let code = ConnectCode(refusal), code != .missingCaller else { return nil }
            return Self.answer(
                caller, reference, code: code.rawValue, result: code.text(for: refusal, by: rules))
        case .paid, .proof, .address, .masterPublicKey:
            return nil
        }
    }
}

extension Connect {
    /// The id in an answer to a request whose id could not be parsed.
    private static let unknownReference: Int64 = -1

    private static func caller(_ items: ConnectItems) throws(Refusal) -> Caller {
        guard let raw = try items.only("caller") else {
            throw Refusal(.missingCaller, parameter: "caller")
        }
        guard let address = LinkText.decode(raw), let caller = Caller(returnAddress: address) else {
            throw Refusal(.invalidCaller, parameter: "caller")
        }
        return caller
    }

    private static func reference(_ message: JSON) throws(Refusal) -> Int64 {
        guard let value = message["id"] else { throw Refusal(.invalidRequest, parameter: "id") }
        guard let id = value.intValue else {
            throw Refusal(.invalidRequest, parameter: "id: no whole number of 64 bits")
        }
        return id
    }

    private static func action(_ message: JSON) throws(Refusal) -> Action {
        guard let method = message["method"]?.stringValue else {
            throw Refusal(.invalidRequest, parameter: "method")
        }
        switch method {
        case "bind": return .bind
        case "sign": return try ConnectParameters(message["params"]).sign()
        case "sendICX": return try ConnectParameters(message["params"]).sendICX()
        case "sendToken": return try ConnectParameters(message["params"]).sendToken()
        default: throw Refusal(.unknownMethod, parameter: "method")
        }
    }

    private static func answer(
        _ caller: Caller, _ reference: Int64?, code: Int, result: String
    ) -> String {
        ConnectAnswer.url(
            caller,
            .object([
                JSON.Member(name: "id", value: .number(String(reference ?? unknownReference))),
                JSON.Member(name: "code", value: .number(String(code))),
                JSON.Member(name: "result", value: .string(result)),
            ]))
    }
}
