import DaybookChains
import DaybookEncoding

extension Request: Recorded {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        link = try coder.field("link", value?.link)
        chain = try coder.field("chain", value?.chain)
        notes = try coder.list("notes", value?.notes)
        proof = try coder.optional("proof", value?.proof)
        let scheme = try coder.optional("caller", value?.caller?.scheme)
        let method = try coder.field("method", value?.action.method)
        let prefix = try coder.optional("callback", value?.caller?.prefix)
        reference = try coder.optional("reference", value?.reference)
        let parameters = try coder.map("parameters", Parameters(method, value?.action))
        guard let action = parameters.action else {
            throw coder.wrong("method", "a known method")
        }
        self.action = action
        if let scheme, let prefix {
            caller = Caller(scheme: scheme, prefix: prefix)
        } else {
            caller = nil
        }
    }
}

extension Request.Note: Recorded {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        name = try coder.field("name", value?.name)
        text = try coder.field("text", value?.text)
    }
}

/// The parameters of a method, whose fields depend on it.
private struct Parameters: Recorded {
    let method: String
    /// Nil for an unknown method, and before it is read.
    let action: Action?

    init(_ method: String, _ action: Action?) {
        self.method = method
        self.action = action
    }

    init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        method = value?.method ?? ""
        action = try Action(value?.action, method: method, by: &coder)
    }
}

extension Action {
    /// Reads or writes the parameters of a method; nil for an unknown one.
    fileprivate init?<Coder: FieldCoder>(
        _ value: Action?, method: String, by coder: inout Coder
    ) throws(Coder.Failure) {
        switch method {
        case "pay": self = try Self.pay(value, by: &coder)
        case "address": self = .address(account: try coder.field("account", value?.account))
        case "masterPublicKey":
            self = .masterPublicKey(account: try coder.field("account", value?.account))
        case "bind": self = .bind
        case "sign": self = .sign(parameters: try coder.json("json", value?.json))
        case "sendTransaction":
            self = .sendTransaction(parameters: try coder.json("json", value?.json))
        case "sendICX": self = try Self.sendICX(value, by: &coder)
        case "sendToken": self = try Self.sendToken(value, by: &coder)
        case Remedy.bump.rawValue:
            self = .remedy(.bump, of: try coder.field("payment", value?.payment))
        case Remedy.cancel.rawValue:
            self = .remedy(.cancel, of: try coder.field("payment", value?.payment))
        default: return nil
        }
    }

    private static func pay<Coder: FieldCoder>(
        _ value: Action?, by coder: inout Coder
    ) throws(Coder.Failure) -> Action {
        var old: (address: String, amount: UInt64?, instantSend: InstantSend)?
        if case .pay(let address, let amount, let instantSend) = value {
            old = (address, amount, instantSend)
        }
        let amount = try coder.optional("amount", old?.amount)
        let address = try coder.field("address", old?.address)
        let said = old?.instantSend == .unspecified ? nil : old?.instantSend
        let instantSend = try coder.optional("instantSend", said) ?? .unspecified
        return .pay(address: address, amount: amount, instantSend: instantSend)
    }

    private static func sendICX<Coder: FieldCoder>(
        _ value: Action?, by coder: inout Coder
    ) throws(Coder.Failure) -> Action {
        var old: (from: String, to: String, value: UInt256, data: CallData?)?
        if case .sendICX(let from, let to, let value, let data) = value {
            old = (from, to, value, data)
        }
        let to = try coder.field("to", old?.to)
        let text = try coder.optional("data", old?.data?.data.text())
        let from = try coder.field("from", old?.from)
        let amount = try coder.field("value", old?.value)
        var data = old?.data
        if let type = try coder.optional("dataType", data?.type), data == nil {
            guard let text else { throw coder.wrong("data", String.kind) }
            data = CallData(type: type, data: try coder.parsed("data", text))
        }
        return .sendICX(from: from, to: to, value: amount, data: data)
    }

    private static func sendToken<Coder: FieldCoder>(
        _ value: Action?, by coder: inout Coder
    ) throws(Coder.Failure) -> Action {
        var old: (from: String, to: String, value: UInt256, contract: String)?
        if case .sendToken(let from, let to, let value, let contract) = value {
            old = (from, to, value, contract)
        }
        let to = try coder.field("to", old?.to)
        let from = try coder.field("from", old?.from)
        let amount = try coder.field("value", old?.value)
        let contract = try coder.field("contract", old?.contract)
        return .sendToken(from: from, to: to, value: amount, contract: contract)
    }

    private var account: UInt32? {
        switch self {
        case .address(let account), .masterPublicKey(let account): account
        case .pay, .bind, .sign, .sendICX, .sendToken, .sendTransaction, .remedy: nil
        }
    }

    private var json: JSON? {
        switch self {
        case .sign(let parameters), .sendTransaction(let parameters): parameters
        case .pay, .address, .masterPublicKey, .bind, .sendICX, .sendToken, .remedy: nil
        }
    }

    private var payment: RequestID? {
        if case .remedy(_, let payment) = self { payment } else { nil }
    }
}

extension FieldCoder {
    fileprivate mutating func json(
        _ name: StaticString, _ value: JSON?
    ) throws(Failure) -> JSON {
        let text = try field(name, value?.text())
        if let value { return value }
        return try parsed(name, text)
    }

    fileprivate func parsed(_ name: StaticString, _ text: String) throws(Failure) -> JSON {
        guard let json = try? JSON.parse(Bytes(text.utf8)) else {
            throw wrong(name, "JSON text")
        }
        return json
    }
}
