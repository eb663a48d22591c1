package import DaybookChains
package import DaybookEncoding

extension ChainObserved {
    package var coded: CBOR {
        .record([
            "chain": .text(chain.rawValue),
            "network": .text(network.rawValue),
            "height": height.map(CBOR.unsigned),
            "tip": tip.map(CBOR.bytes),
            "identity": identity.map(CBOR.text),
            "feeRate": feeRate.map(CBOR.unsigned),
            "instantSend": instantSend.map(CBOR.bool),
            "outputs": .list(outputs) { $0.coded },
            "vanished": .list(vanished) { $0.coded },
            "transactions": .list(transactions) { $0.coded },
            "balances": .list(balances) { $0.coded },
            "tokens": .list(tokens) { $0.coded },
            "steps": steps?.coded,
            "estimate": estimate.map(CBOR.unsigned),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        chain = try fields.name("chain")
        network = try fields.name("network")
        height = try fields.optionalNumber("height")
        tip = try fields.optionalBytes("tip")
        identity = try fields.optionalText("identity")
        feeRate = try fields.optionalNumber("feeRate")
        instantSend = try fields.optionalFlag("instantSend")
        outputs = try fields.list("outputs") { (item) throws(FieldError) in try Output(item) }
        vanished = try fields.list("vanished") { (item) throws(FieldError) in try Outpoint(item) }
        transactions = try fields.list("transactions") { (item) throws(FieldError) in
            try TransactionStatus(item)
        }
        balances = try fields.list("balances") { (item) throws(FieldError) in try Balance(item) }
        tokens = try fields.list("tokens") { (item) throws(FieldError) in try Token(item) }
        steps = try fields.optionalFields("steps").map { (item) throws(FieldError) in
            try Steps(item)
        }
        estimate = try fields.optionalNumber("estimate")
    }
}

extension ChainObserved.Output {
    var coded: CBOR {
        .record([
            "txid": .bytes(outpoint.displayed),
            "index": .unsigned(UInt64(outpoint.index)),
            "script": .bytes(script),
            "amount": .unsigned(amount),
            "height": height.map(CBOR.unsigned),
            "coinbase": .flag(coinbase),
            "spentBy": spentBy.map(CBOR.bytes),
            "spentHeight": spentHeight.map(CBOR.unsigned),
        ])
    }

    init(_ fields: Fields) throws(FieldError) {
        self.init(
            outpoint: try Outpoint(fields), script: try fields.bytes("script"),
            amount: try fields.number("amount"), height: try fields.optionalNumber("height"),
            coinbase: try fields.flag("coinbase"), spentBy: try fields.optionalBytes("spentBy"),
            spentHeight: try fields.optionalNumber("spentHeight"))
    }
}

extension ChainObserved.TransactionStatus {
    var coded: CBOR {
        .record([
            "txid": .bytes(txid), "height": height.map(CBOR.unsigned), "locked": .flag(locked),
            "failure": failure.map(CBOR.text), "fee": fee?.coded,
            "isGone": .flag(isGone),
        ])
    }

    init(_ fields: Fields) throws(FieldError) {
        self.init(
            txid: try fields.bytes("txid"), height: try fields.optionalNumber("height"),
            locked: try fields.flag("locked"), failure: try fields.optionalText("failure"),
            fee: try fields.optionalAmount("fee"), isGone: try fields.flag("isGone"))
    }
}

extension ChainObserved.Balance {
    var coded: CBOR {
        .record(["address": .text(address), "asset": .text(asset), "amount": amount.coded])
    }

    init(_ fields: Fields) throws(FieldError) {
        self.init(
            address: try fields.text("address"), asset: try fields.text("asset"),
            amount: try fields.amount("amount"))
    }
}

extension ChainObserved.Token {
    var coded: CBOR {
        .record([
            "contract": .text(contract), "symbol": .text(symbol), "decimals": .unsigned(decimals),
        ])
    }

    init(_ fields: Fields) throws(FieldError) {
        self.init(
            contract: try fields.text("contract"), symbol: try fields.text("symbol"),
            decimals: try fields.number("decimals"))
    }
}

extension ChainObserved.Steps {
    var coded: CBOR {
        .record([
            "price": price.coded, "transfer": .unsigned(transfer),
            "inputByte": .unsigned(inputByte), "contractCall": .unsigned(contractCall),
        ])
    }

    init(_ fields: Fields) throws(FieldError) {
        self.init(
            price: try fields.amount("price"), transfer: try fields.number("transfer"),
            inputByte: try fields.number("inputByte"),
            contractCall: try fields.number("contractCall"))
    }
}

extension Outpoint {
    /// The transaction's id as bytes in the order in which it is displayed.
    package var displayed: Bytes { txid.displayed }

    var coded: CBOR {
        .record(["txid": .bytes(displayed), "index": .unsigned(UInt64(index))])
    }

    init(_ fields: Fields) throws(FieldError) {
        guard let txid = try fields.transactionID("txid"),
            let index = UInt32(exactly: try fields.number("index"))
        else { throw fields.wrong("txid", "an output of a transaction") }
        self.init(txid, index)
    }
}
