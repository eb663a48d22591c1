import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// ICONex Connect's second form: `iconex://bind?data=…` and `iconex://JSON-RPC?data=…`.
///
/// It is newer than the documented form and shares only the scheme with it: the return address is
/// in the data (`redirect`), the codes differ, and success is 0.
package struct ConnectJSONRPC: LinkProtocol {
    package let id = "iconex-2"
    package let family = "iconex"

    package init() {}

    package func canParse(_ text: Bytes) -> Bool {
        guard LinkText.hasScheme("iconex", text), let host = ConnectItems.host(of: text) else {
            return false
        }
        return ConnectItems.isHost(host, "bind") || ConnectItems.isHost(host, "JSON-RPC")
    }

    package func parse(_ text: Bytes) -> LinkReading {
        guard text.count <= Links.maximumLength else {
            return .refused(Refusal(.linkTooLong), caller: nil, reference: nil)
        }
        guard let items = ConnectItems(text), items.isWellFormed else {
            return .refused(Refusal(.malformedLink), caller: nil, reference: nil)
        }
        var caller: Caller?
        do throws(Refusal) {
            let message = try items.object("data")
            let answered = try Self.caller(message)
            caller = answered
            let isBind = ConnectItems.isHost(items.host, "bind")
            let action = isBind ? .bind : try Self.transaction(message)
            return .request(Request(link: id, chain: .icon, action: action, caller: answered))
        } catch {
            return .refused(error, caller: caller, reference: nil)
        }
    }

    package func code(of refusal: Refusal) -> Int? {
        ConnectJSONRPCCode(refusal)?.rawValue
    }

    package func callback(_ reply: Reply, to caller: Caller, reference: Int64?) -> String? {
        switch reply {
        case .bound(let result), .transactionHash(let result):
            let code = ConnectJSONRPCCode.success
            return Self.answer(caller, code, message: "Success", result: result)
        case .refused(let refusal):
            guard let code = ConnectJSONRPCCode(refusal) else { return nil }
            return Self.answer(caller, code, message: code.text(for: refusal), result: nil)
        case .paid, .proof, .address, .masterPublicKey, .signature:
            return nil
        }
    }
}

extension ConnectJSONRPC {
    private static func caller(_ message: JSON) throws(Refusal) -> Caller {
        guard let redirect = message["redirect"] else {
            throw Refusal(.missingCaller, parameter: "redirect")
        }
        guard let address = redirect.stringValue, let caller = Caller(returnAddress: address) else {
            throw Refusal(.invalidCaller, parameter: "redirect")
        }
        return caller
    }

    private static func transaction(_ message: JSON) throws(Refusal) -> Action {
        guard let payload = message["payload"] else {
            throw Refusal(.missingParameter, parameter: "payload")
        }
        guard payload["method"]?.stringValue == "icx_sendTransaction" else {
            throw Refusal(.unknownMethod, parameter: "method")
        }
        return try ConnectParameters(payload["params"]).sendTransaction()
    }

    private static func answer(
        _ caller: Caller, _ code: ConnectJSONRPCCode, message: String, result: String?
    ) -> String {
        var members = [
            JSON.Member(name: "code", value: .number(String(code.rawValue))),
            JSON.Member(name: "message", value: .string(message)),
        ]
        if let result { members.append(JSON.Member(name: "result", value: .string(result))) }
        return ConnectAnswer.url(caller, .object(members))
    }
}
