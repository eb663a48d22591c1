import DaybookChains
package import DaybookDomain
import DaybookEncoding

/// Prints a request as the link of a client that writes links plainly: the other half of a law.
package enum RequestPrinter {
    package static func print(_ request: Request) -> String? {
        switch request.link {
        case "dashwallet", "axewallet": walletLink(request)
        case "dash", "axe": paymentURI(request)
        case "iconex": connect(request)
        case "iconex-2": connectJSONRPC(request)
        default: nil
        }
    }

    private static func walletLink(_ request: Request) -> String? {
        guard let caller = request.caller else { return nil }
        let sender = "&sender=\(caller.prefix.dropLast(3))" + notes(request)
        switch request.action {
        case .pay(let address, let amount, let instantSend):
            return "\(request.link)://pay=\(address)" + terms(amount, instantSend) + sender
        case .address(let account):
            return "\(request.link)://request=address&account=\(account)" + sender
        case .masterPublicKey(let account):
            return "\(request.link)://request=masterPublicKey&account=\(account)" + sender
        default: return nil
        }
    }

    private static func paymentURI(_ request: Request) -> String? {
        guard case .pay(let address, let amount, let instantSend) = request.action else {
            return nil
        }
        let query = terms(amount, instantSend) + answer(request) + notes(request)
        return "\(request.link):\(address)?\(query.dropFirst())"
    }

    /// Whom a payment URI asks to answer, and with what.
    private static func answer(_ request: Request) -> String {
        let sender = request.caller.map { "&sender=\($0.prefix.dropLast(3))" } ?? ""
        let prefix = escaped(request.caller?.prefix ?? "")
        return switch request.proof {
        case nil: sender
        case .declined: sender + "&pop=https%3A"
        case .wanted: "&pop=" + prefix
        case .required: "&req-pop=" + prefix
        }
    }

    private static func connect(_ request: Request) -> String? {
        guard let caller = request.caller, let reference = request.reference else { return nil }
        let message: KeyValuePairs = [
            "id": JSON.int(reference), "method": .string(request.action.method),
            "params": parameters(request.action),
        ]
        return "iconex://?data=\(base64(.record(message)))&caller=\(caller.prefix)"
    }

    private static func connectJSONRPC(_ request: Request) -> String? {
        guard let caller = request.caller else { return nil }
        let redirect = JSON.string(caller.prefix)
        guard case .sendTransaction(let parameters) = request.action else {
            return "iconex://bind?data=\(base64(.record(["redirect": redirect])))"
        }
        let payload = JSON.record([
            "method": .string("icx_sendTransaction"), "params": parameters,
        ])
        return "iconex://JSON-RPC?data="
            + base64(.record(["redirect": redirect, "payload": payload]))
    }

    private static func parameters(_ action: Action) -> JSON? {
        switch action {
        case .sign(let parameters): parameters
        case .sendICX(let from, let to, let value, let data):
            .record([
                "from": .string(from), "to": .string(to), "value": .string("0x\(value.hex)"),
                "dataType": data.map { .string($0.type) }, "data": data?.data,
            ])
        case .sendToken(let from, let to, let value, let contract):
            .record([
                "from": .string(from), "to": .string(to), "value": .string("0x\(value.hex)"),
                "contractAddress": .string(contract),
            ])
        default: nil
        }
    }

    private static func terms(_ amount: UInt64?, _ instantSend: Action.InstantSend) -> String {
        let sum = amount.map {
            "&amount=" + DecimalAmount.format(UInt256($0), decimals: Duffs.decimals)
        }
        switch instantSend {
        case .unspecified: return sum ?? ""
        case .preferred: return (sum ?? "") + "&IS=1"
        case .required: return (sum ?? "") + "&req-IS=1"
        }
    }

    private static func notes(_ request: Request) -> String {
        request.notes.map { note in
            "&\(note.name)=" + escaped(note.text)
        }.joined()
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { "%" + Hex.encode([$0]) }.joined()
    }

    private static func base64(_ json: JSON) -> String {
        Base64.encode(Bytes(json.text().utf8)).replacing("=", with: "%3D")
    }
}
