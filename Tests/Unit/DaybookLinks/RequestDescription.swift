import DaybookChains
import DaybookDomain
import DaybookEncoding

/// A request in the words of the fixtures, so that a whole one is compared at once.
extension Request {
    var described: JSON {
        var members: [JSON.Member] = []
        func add(_ name: String, _ value: JSON) { members.append(.init(name: name, value: value)) }
        func add(_ name: String, _ value: String?) { add(name, value.map(JSON.string) ?? .null) }
        add("link", link)
        add("chain", chain.rawValue)
        add("method", action.method)
        switch action {
        case .pay(let address, let amount, let instantSend):
            add("address", address)
            add("amount", amount.map(String.init))
            add("instantSend", instantSend.rawValue)
        case .address(let account), .masterPublicKey(let account):
            add("account", .int(account))
        case .bind: break
        case .sign(let parameters), .sendTransaction(let parameters):
            add("parameters", parameters)
        case .sendICX(let from, let to, let value, let data):
            add("from", from)
            add("to", to)
            add("value", value.decimal)
            add("dataType", data?.type)
            add("data", data?.data ?? .null)
        case .sendToken(let from, let to, let value, let contract):
            add("from", from)
            add("to", to)
            add("value", value.decimal)
            add("contract", contract)
        case .remedy(_, let payment): add("payment", payment.description)
        }
        add("caller", caller?.scheme)
        add("prefix", caller?.prefix)
        add("reference", reference.map(JSON.int) ?? .null)
        add("notes", .array(notes.map { .array([.string($0.name), .string($0.text)]) }))
        if let proof { add("proof", proof.rawValue) }
        return .object(members.sorted { Text.precedes($0.name, $1.name) })
    }
}

extension JSON {
    /// The same object with its members in the order of their names.
    var sorted: JSON {
        guard let members = objectValue else { return self }
        return .object(members.sorted { Text.precedes($0.name, $1.name) })
    }
}
