import DaybookEncoding

extension ICONTerms {
    /// The lines that a prompt shows; nil if the terms can't be shown in full.
    ///
    /// Terms with the same lines sign the same text. Nil if the data exceeds the limits, or if the
    /// signed text could be read in more than one way. Amounts of the called contract's token are
    /// shown in the unit `token` beside their minor units.
    package func lines(token: TokenUnit? = nil) -> [ShownLine]? {
        guard let parts = parts(token: token) else { return nil }
        let lines = Terms.chainLines(.icon, network) + parts
        return ShownLimits.hold(lines) ? lines : nil
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
