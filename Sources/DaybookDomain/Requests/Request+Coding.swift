import DaybookChains
package import DaybookEncoding

extension Request {
    package var coded: CBOR {
        .record([
            "link": .text(link),
            "chain": .text(chain.rawValue),
            "method": .text(action.method),
            "parameters": action.coded,
            "caller": caller.map { .text($0.scheme) },
            "callback": caller.map { .text($0.prefix) },
            "reference": reference.map(CBOR.int),
            "notes": .list(notes) { .record(["name": .text($0.name), "text": .text($0.text)]) },
            "proof": proof.map { .text($0.rawValue) },
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        let scheme = try fields.optionalText("caller")
        let prefix = try fields.optionalText("callback")
        var caller: Caller?
        if let scheme, let prefix { caller = Caller(scheme: scheme, prefix: prefix) }
        self.init(
            link: try fields.text("link"), chain: try fields.name("chain"),
            action: try Action(
                method: try fields.text("method"), try fields.fields("parameters")),
            caller: caller, reference: try fields.optionalSigned("reference"),
            notes: try fields.list("notes") { (item) throws(FieldError) in
                Note(name: try item.text("name"), text: try item.text("text"))
            }, proof: try fields.optionalName("proof"))
    }
}

extension Action {
    var coded: CBOR {
        switch self {
        case .pay(let address, let amount, let instantSend):
            .record([
                "address": .text(address), "amount": amount.map(CBOR.unsigned),
                "instantSend": instantSend == .unspecified ? nil : .text(instantSend.rawValue),
            ])
        case .address(let account), .masterPublicKey(let account):
            .record(["account": .unsigned(UInt64(account))])
        case .bind:
            .record([:])
        case .sign(let parameters), .sendTransaction(let parameters):
            .record(["json": .text(parameters.text())])
        case .sendICX(let from, let to, let value, let data):
            .record([
                "from": .text(from), "to": .text(to), "value": value.coded,
                "dataType": data.map { .text($0.type) },
                "data": data.map { .text($0.data.text()) },
            ])
        case .sendToken(let from, let to, let value, let contract):
            .record([
                "from": .text(from), "to": .text(to), "value": value.coded,
                "contract": .text(contract),
            ])
        case .remedy(_, let payment):
            .record(["payment": .id(payment)])
        }
    }

    init(method: String, _ fields: Fields) throws(FieldError) {
        switch method {
        case "pay":
            self = .pay(
                address: try fields.text("address"), amount: try fields.optionalNumber("amount"),
                instantSend: fields["instantSend"] == nil
                    ? .unspecified : try fields.name("instantSend"))
        case "address": self = .address(account: try fields.number32("account"))
        case "masterPublicKey": self = .masterPublicKey(account: try fields.number32("account"))
        case "bind": self = .bind
        case "sign": self = .sign(parameters: try fields.json("json"))
        case "sendTransaction": self = .sendTransaction(parameters: try fields.json("json"))
        case "sendICX":
            var data: CallData?
            if let type = try fields.optionalText("dataType") {
                data = CallData(type: type, data: try fields.json("data"))
            }
            self = .sendICX(
                from: try fields.text("from"), to: try fields.text("to"),
                value: try fields.amount("value"), data: data)
        case "sendToken":
            self = .sendToken(
                from: try fields.text("from"), to: try fields.text("to"),
                value: try fields.amount("value"), contract: try fields.text("contract"))
        case Remedy.bump.rawValue: self = .remedy(.bump, of: try fields.id("payment"))
        case Remedy.cancel.rawValue: self = .remedy(.cancel, of: try fields.id("payment"))
        default: throw FieldError(field: "data.request.method", expected: "a known method")
        }
    }
}

extension Fields {
    fileprivate func json(_ name: String) throws(FieldError) -> JSON {
        do {
            return try JSON.parse(Bytes(try text(name).utf8))
        } catch {
            throw wrong(name, "JSON text")
        }
    }
}
