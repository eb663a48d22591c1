import DaybookEncoding

extension ICONTerms {
    /// All of the terms in lines of which none can be taken for another.
    ///
    /// Two terms with the same lines sign the same text. Nil where the terms can't be shown whole:
    /// the data is too long or too much, or what is signed would have more than one reading.
    /// `token` says how amounts of the called contract's token are shown beside their minor units.
    package func lines(token: TokenUnit? = nil) -> [ShownLine]? {
        guard let parts = parts(token: token) else { return nil }
        let lines = Terms.place(.icon, network) + parts
        return ShownLimits.hold(lines) ? lines : nil
    }

    /// How long before and after its time a node takes a transaction, in microseconds.
    package static let timeWindow: UInt64 = 300_000_000

    /// The contract whose token a transaction would move as IRC-2 says; nil for all others.
    package var token: String? {
        guard Text.equal(params["dataType"]?.stringValue ?? "", "call"),
            Text.equal(params["data"]?["method"]?.stringValue ?? "", "transfer")
        else { return nil }
        return params["to"]?.stringValue
    }

    private func parts(token: TokenUnit?) -> [ShownLine]? {
        guard let parameters = ShownParameters(params) else { return nil }
        var lines: [ShownLine] = []
        func add(_ name: String, _ text: String?) {
            if let text { lines.append(.escaping(name, text)) }
        }
        let transfer = parameters.transfer
        add("from", parameters["from"])
        if let transfer {
            lines += transfer.lines(of: parameters["to"] ?? "", in: token)
        } else {
            add("to", parameters["to"])
            if let value = parameters["value"] { lines += Self.amount(value) }
            add("dataType", parameters["dataType"])
            guard let data = data(token: token) else { return nil }
            lines += data
        }
        add("stepLimit", parameters.decimal("stepLimit"))
        if parameters["stepLimit"] != nil { add("fee", fee) }
        let time = parameters["timestamp"]
        add("timestamp", time.flatMap(ICONInteger.parseSmall).map { Timestamp.text($0) } ?? time)
        for name in ["nid", "nonce", "version"] { add(name, parameters[name]) }
        return lines
    }

    private var fee: String {
        guard let highestFee else { return "not known" }
        return "at most \(DecimalAmount.format(highestFee, decimals: 18)) ICX"
    }

    private static func amount(_ value: String) -> [ShownLine] {
        guard let amount = ICONInteger.parse(value) else { return [.escaping("value", value)] }
        return [
            ShownLine("asset", "ICX"),
            ShownLine("amount", DecimalAmount.format(amount, decimals: 18)),
            ShownLine("minor", amount.decimal),
        ]
    }

    // MARK: - Data

    private func data(token: TokenUnit?) -> [ShownLine]? {
        guard let data = params["data"] else { return [] }
        if let text = data.stringValue { return message(text) }
        if params["dataType"]?.stringValue == "call", let call = call(data, token: token) {
            return call
        }
        return ShownData(data)?.lines("data")
    }

    private func message(_ text: String) -> [ShownLine]? {
        let escaped = Text.escaped(text)
        guard ShownLimits.hold(escaped) else { return nil }
        var lines: [ShownLine] = []
        if params["dataType"]?.stringValue ?? "message" == "message", text.hasPrefix("0x"),
            let bytes = Hex.decode(text.dropFirst(2)), let message = Text.utf8String(bytes)
        {
            lines.append(.escaping("message", message))
            // Written so, the message says the data to the letter.
            let isPlain = !bytes.isEmpty && Text.equal("0x" + Hex.encode(bytes), text)
            if isPlain { return lines }
        }
        return lines + [ShownLine("data", escaped)]
    }

    /// A method and its parameters; nil for data that has more than these.
    private func call(_ data: JSON, token: TokenUnit?) -> [ShownLine]? {
        guard case .object(let members) = data, let method = data["method"]?.stringValue,
            members.allSatisfy({ Text.equal($0.name, "method") || Text.equal($0.name, "params") })
        else { return nil }
        let name = ShownData.shown(name: method)
        guard ShownLimits.hold(name) else { return nil }
        let first = ShownLine("call", name)
        guard let parameters = data["params"] else { return [first] }
        let unit = Text.equal(method, "transfer") ? token : nil
        guard case .object = parameters,
            let rest = ShownData(parameters, unit: unit)?.lines("param")
        else { return nil }
        return [first] + rest
    }
}

/// The parameters of a transaction by their names; of those that nodes know, all but the data.
private struct ShownParameters {
    private let texts: [(name: String, text: String)]
    private let data: JSON?

    /// Nil where there is a parameter that nodes don't know, or that is no text.
    init?(_ params: JSON) {
        guard case .object(let members) = params else { return nil }
        var texts: [(name: String, text: String)] = []
        for member in members where !Text.equal(member.name, "data") {
            guard Self.known.contains(where: { Text.equal($0, member.name) }),
                let text = member.value.stringValue, text.utf8.count <= ShownLimits.textBytes
            else { return nil }
            texts.append((member.name, text))
        }
        self.texts = texts
        data = params["data"]
    }

    private static let known = [
        "version", "from", "to", "value", "stepLimit", "timestamp", "nid", "nonce", "dataType",
    ]

    subscript(name: String) -> String? { texts.first { Text.equal($0.name, name) }?.text }

    /// A number as people write it, or the text where it is none.
    func decimal(_ name: String) -> String? {
        self[name].map { ICONInteger.parse($0)?.decimal ?? $0 }
    }

    /// The transfer of an IRC-2 token that the transaction is, where it is nothing else.
    var transfer: TokenTransfer? {
        guard self["value"] == nil, self["dataType"] == "call",
            case .object(let members)? = data, members.count == 2,
            Text.equal(data?["method"]?.stringValue ?? "", "transfer"),
            case .object(let parameters)? = data?["params"], parameters.count == 2,
            let recipient = data?["params"]?["_to"]?.stringValue.flatMap({ ICONAddress($0) }),
            let amount = data?["params"]?["_value"]?.stringValue.flatMap(ICONInteger.parse)
        else { return nil }
        return TokenTransfer(recipient: recipient, amount: amount)
    }
}

/// A call that moves tokens as IRC-2 says, and nothing else.
private struct TokenTransfer {
    let recipient: ICONAddress
    let amount: UInt256

    func lines(of contract: String, in unit: TokenUnit?) -> [ShownLine] {
        var lines = [
            ShownLine("call", "transfer"), ShownLine("to", recipient.text),
            ShownLine.escaping("asset", unit?.asset ?? contract),
        ]
        if let unit {
            let whole = DecimalAmount.format(amount, decimals: unit.decimals)
            lines.append(ShownLine("amount", whole))
        }
        return lines + [
            ShownLine("minor", amount.decimal), .escaping("contract", contract),
        ]
    }
}
