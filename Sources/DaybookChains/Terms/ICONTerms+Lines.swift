import DaybookEncoding

extension ICONTerms {
    /// The content that a prompt shows; nil if the terms can't be shown in full.
    ///
    /// Terms with the same content sign the same text. Nil if the data exceeds the limits, or if
    /// the signed text could be read in more than one way. Amounts of the called contract's token
    /// are shown in the unit `token` beside their minor units.
    package func content(token: TokenUnit? = nil) -> PromptContent? {
        guard let parameters = ShownParameters(params) else { return nil }
        var content = PromptContent()
        func add(_ name: String, _ text: String?) {
            if let text { content.details.append(.escaping(name, text)) }
        }
        let transfer = parameters.transfer
        if let transfer {
            transfer.describe(of: parameters["to"] ?? "", in: token, &content)
        } else {
            content.headline = headline(parameters)
            add("to", parameters["to"])
            if let value = parameters["value"] { Self.add(value, to: &content) }
            add("dataType", parameters["dataType"])
            guard let data = data(token: token) else { return nil }
            content.details += data
        }
        add("from", parameters["from"])
        add("stepLimit", parameters.decimal("stepLimit"))
        if parameters["stepLimit"] != nil { addFee(to: &content) }
        let time = parameters["timestamp"]
        add("timestamp", time.flatMap(ICONInteger.parseSmall).map { Timestamp.text($0) } ?? time)
        for name in ["nid", "nonce", "version"] { add(name, parameters[name]) }
        content.details += Terms.chainLines(.icon, network)
        return ShownLimits.hold(content) ? content : nil
    }

    /// How long before and after its timestamp a node accepts a transaction, in microseconds.
    package static let timeWindow: UInt64 = 300_000_000

    /// The contract of the token that an IRC-2 transfer moves; nil for other transactions.
    package var token: String? {
        guard Text.equal(params["dataType"]?.stringValue ?? "", "call"),
            Text.equal(params["data"]?["method"]?.stringValue ?? "", "transfer")
        else { return nil }
        return params["to"]?.stringValue
    }

    /// The sentence of a transaction that is no transfer of a token.
    private func headline(_ parameters: ShownParameters) -> String {
        let recipient = parameters["to"] ?? ""
        let value = parameters["value"].flatMap(ICONInteger.parse)
        let amount = DecimalAmount.format(value ?? .zero, decimals: Self.decimals)
        switch parameters["dataType"] {
        case nil, "message": return PromptContent.payment(of: amount, "ICX", to: recipient)
        case "call":
            let method = ShownData.shown(name: params["data"]?["method"]?.stringValue ?? "")
            let payment = value.map { $0 > .zero } == true ? ", and pay it \(amount) ICX" : ""
            return "Call \(PromptContent.short(method)) of contract"
                + " \(PromptContent.short(recipient))\(payment)"
        case "deploy": return "Deploy a contract at \(PromptContent.short(recipient))"
        case let type?:
            return "Send a transaction of type \(PromptContent.short(type)) to"
                + " \(PromptContent.short(recipient))"
        }
    }

    private static let decimals = 18

    private func addFee(to content: inout PromptContent) {
        guard let highestFee else {
            return content.details.append(ShownLine("highestFee", "not known"))
        }
        let fee = DecimalAmount.format(highestFee, decimals: Self.decimals)
        content.amounts.append(ShownLine("highestFee", fee, unit: "ICX"))
    }

    private static func add(_ value: String, to content: inout PromptContent) {
        guard let amount = ICONInteger.parse(value) else {
            return content.details.append(.escaping("value", value))
        }
        let coins = DecimalAmount.format(amount, decimals: decimals)
        content.amounts.append(ShownLine("amount", coins, unit: "ICX"))
        content.details.append(ShownLine("minor", amount.decimal))
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
            // The message determines these data exactly, so they need no line of their own.
            let isPlain = !bytes.isEmpty && Text.equal("0x" + Hex.encode(bytes), text)
            if isPlain { return lines }
        }
        return lines + [ShownLine("data", escaped)]
    }

    /// The lines of a method and its parameters; nil if the data has further members.
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

/// The known parameters of a transaction, without the data.
private struct ShownParameters {
    private let texts: [(name: String, text: String)]
    private let data: JSON?

    /// Nil if a parameter is unknown to nodes or not a text.
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

    /// A number in decimal; the text itself if it is no number.
    func decimal(_ name: String) -> String? {
        self[name].map { ICONInteger.parse($0)?.decimal ?? $0 }
    }

    /// The IRC-2 transfer; nil if the transaction is or does anything else.
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

/// A call that is exactly an IRC-2 transfer.
private struct TokenTransfer {
    let recipient: ICONAddress
    let amount: UInt256

    /// Describes the transfer; without a unit the amount is known in minor units alone.
    func describe(of contract: String, in unit: TokenUnit?, _ content: inout PromptContent) {
        if let unit {
            let whole = DecimalAmount.format(amount, decimals: unit.decimals)
            content.headline = PromptContent.payment(of: whole, unit.asset, to: recipient.text)
            content.amounts.append(ShownLine("amount", whole, unit: unit.asset))
        } else {
            content.headline =
                "Pay \(amount.decimal) of the smallest units of token"
                + " \(PromptContent.short(contract)) to \(PromptContent.short(recipient.text))"
        }
        content.details += [
            ShownLine("to", recipient.text), .escaping("contract", contract),
            ShownLine("minor", amount.decimal), ShownLine("call", "transfer"),
        ]
    }
}
