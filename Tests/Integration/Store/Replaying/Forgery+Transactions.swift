import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import Testing

@testable import DaybookReplay

/// Transactions that are not what was asked for, shown, prepared or signed; and what callers learn.
extension Forgery {
    static let transactions = [
        Forgery("a payment to another address", .paysSomethingElse) { log in
            try log.rewritePayment(.dash) { $0.outputs[0].script[3] ^= 1 }
        },
        Forgery("a payment of another amount", .paysSomethingElse) { log in
            try log.rewritePayment(.axe) { transaction in
                transaction.outputs[0].amount += 1
                transaction.outputs[1].amount -= 1
            }
        },
        Forgery("change to somebody else", .paysSomethingElse) { log in
            try log.rewritePayment(.dash) { transaction in
                for index in transaction.outputs.indices {
                    transaction.outputs[index].script[4] ^= 1
                }
            }
        },
        Forgery("a coin that the wallet does not have", .paysSomethingElse) { log in
            try log.rewritePayment(.dash) { transaction in
                let outpoint = transaction.inputs[0].outpoint
                transaction.inputs[0].outpoint = Outpoint(outpoint.txid, outpoint.index + 7)
            }
        },
        Forgery("a fee that is not what is left over", .paysSomethingElse) { log in
            try log.rewrite(try log.payment(.dash)) { payload in
                guard case .transactionPrepared(let data) = payload else { return payload }
                return .transactionPrepared(
                    TransactionPrepared(
                        wallet: data.wallet, bytes: data.bytes, inputs: data.inputs,
                        fee: data.fee.adding(.init(1)) ?? .max, reserves: data.reserves))
            }
        },
        Forgery("an ICON payment of another value", .paysSomethingElse) { log in
            try log.rewriteICON { params in
                params.setting("value", to: .string("0xde0b6b3a7640001"))
            }
        },
        Forgery("an ICON payment that carries something", .paysSomethingElse) { log in
            try log.rewriteICON { params in
                params.setting("dataType", to: .string("message"))
                    .setting("data", to: .string("0x00"))
            }
        },
        Forgery("an ICON payment that may cost more than shown", .paysSomethingElse) { log in
            try log.rewriteICON { $0.setting("stepLimit", to: .string("0x7fffffff")) }
        },
        Forgery("a token payment to somebody else", .paysSomethingElse) { log in
            let place = try log.prepared {
                if case .sendToken = $0.action { true } else { false }
            }
            return try log.rewriteICON(at: place) { params in
                let transfer = try #require(params["data"])
                let from = try #require(params["from"])
                let arguments = try #require(transfer["params"]).setting("_to", to: from)
                return params.setting("data", to: transfer.setting("params", to: arguments))
            }
        },
        Forgery("a transaction to sign that nobody asked for", .paysSomethingElse) { log in
            let place = try log.prepared { if case .sign = $0.action { true } else { false } }
            return try log.rewriteICON(at: place) { $0.setting("value", to: .string("0x2")) }
        },
        Forgery("other bytes signed than prepared", .signedSomethingElse) { log in
            try log.rewriteSigned(.dash) { data in
                var transaction = try UTXOTransaction.parse(data.bytes)
                transaction.lockTime += 1
                return transaction.serialized()
            }
        },
        Forgery("an ICON transaction signed than was not prepared", .signedSomethingElse) { log in
            try log.rewriteSigned(.icon) { data in
                let params = try JSON.parse(data.bytes)
                return Bytes(params.setting("nonce", to: .string("0x2")).text().utf8)
            }
        },
        Forgery("another transaction's id", .signedSomethingElse) { log in
            let place = try log.signed(.axe)
            return try log.rewrite(place) { payload in
                guard case .transactionSigned(let data) = payload else { return payload }
                return .transactionSigned(
                    TransactionSigned(txid: data.txid.reversed(), bytes: data.bytes))
            }
        },
        Forgery("a signature with an altered bit", .badSignature) { log in
            try log.rewriteSigned(.dash) { data in
                var transaction = try UTXOTransaction.parse(data.bytes)
                // Behind the push, the DER header and the length of r lies r.
                transaction.inputs[0].script[10] ^= 1
                return transaction.serialized()
            }
        },
        Forgery("an ICON signature of another key", .badSignature) { log in
            try log.rewriteSigned(.icon) { data in
                let params = try JSON.parse(data.bytes)
                let text = try #require(params["signature"]?.stringValue)
                var bytes = try #require(Base64.decode(Bytes(text.utf8)))
                bytes[64] ^= 1
                return Bytes(
                    params.setting("signature", to: .string(Base64.encode(bytes))).text().utf8)
            }
        },
        Forgery("a transaction sent that was not signed here", .sentUnsigned) { log in
            try log.rewrite(try log.first("transaction.sent")) { payload in
                guard case .transactionSent(let data) = payload else { return payload }
                return .transactionSent(TransactionSent(txid: data.txid.reversed()))
            }
        },
    ]

    static let answers = [
        Forgery("a completed request that is rejected", .secondOutcome) { log in
            let request = try #require(log.records[try log.first("binding.granted")].request)
            return try log.replaceEnd(request, "request.rejected", .map([]))
        },
        Forgery("a rejected request that waits again", .secondOutcome) { log in
            let request = try #require(log.records[try log.first("request.rejected")].request)
            let accepted = log.records[try log.first("request.accepted")]
            return try log.replaceEnd(request, accepted.type, accepted.data)
        },
        Forgery("a second callback", .secondCallback) { log in
            let callback = log.records[try log.last("callback.emitted")]
            return try log.replaceEnd(callback.request, callback.type, callback.data)
        },
        Forgery("a callback that tells more than the outcome", .givenWithoutDecision) { log in
            let rejected = try log.first("request.rejected")
            let granted = try log.last("binding.granted")
            let told = log.records[granted + 1]
            try #require(log.records[rejected + 1].type == "callback.emitted")
            return try log.change(rejected + 1) { $0.altered(data: told.data) }
        },
        Forgery("a callback of an open request", .givenWithoutDecision) { log in
            let callback = log.records[try log.first("callback.emitted")]
            let requests = log.records.filter { $0.type == "request.accepted" }.map(\.request)
            let done = log.records.filter { $0.type == "callback.emitted" }.map(\.request)
            let open = try #require(requests.last { !done.contains($0) } ?? nil)
            return try log.replaceEnd(open, callback.type, callback.data)
        },
        Forgery("a callback that names another transaction", .givenWithoutDecision) { log in
            let place = try log.first("transaction.sent") + 1
            try #require(log.records[place].type == "callback.emitted")
            return try log.rewrite(place) { payload in
                guard case .callbackEmitted(let data) = payload else { return payload }
                return .callbackEmitted(CallbackEmitted(url: data.url + "0"))
            }
        },
    ]
}

extension Forging {
    /// Puts an event in the place of the log's last, a callback's delivery.
    mutating func replaceEnd(_ request: UInt64?, _ type: String, _ data: CBOR) throws -> UInt64 {
        try change(records.count - 1) {
            $0.altered(type: type, request: .some(request), data: data)
        }
    }

    /// Where the chain's first transaction was prepared that is sent, and moves coins only.
    func payment(_ chain: Chain) throws -> Int {
        try prepared { request in
            guard request.chain == chain else { return false }
            switch request.action {
            case .pay, .sendICX(_, _, _, nil): return true
            default: return false
            }
        }
    }

    /// Where a transaction was prepared for the first request of a kind.
    func prepared(_ isOfKind: (Request) -> Bool) throws -> Int {
        let accepted = records.indices.first { place in
            guard case .requestAccepted(let data)? = payload(place) else { return false }
            return isOfKind(data.request)
        }
        let request = records[try #require(accepted)].request
        return try #require(
            records.firstIndex { $0.type == "transaction.prepared" && $0.request == request })
    }

    /// Where that transaction was signed.
    func signed(_ chain: Chain) throws -> Int {
        let request = records[try payment(chain)].request
        return try #require(
            records.firstIndex { $0.type == "transaction.signed" && $0.request == request })
    }

    /// Changes a prepared payment, and the digests with it.
    mutating func rewritePayment(
        _ chain: Chain, _ body: (inout UTXOTransaction) -> Void
    ) throws -> UInt64 {
        try rewrite(try payment(chain)) { payload in
            guard case .transactionPrepared(let data) = payload else { return payload }
            var transaction = try UTXOTransaction.parse(data.bytes)
            body(&transaction)
            return .transactionPrepared(try data.making(transaction, of: data.inputs))
        }
    }

    /// Changes a prepared ICON transaction, the first payment or this one, and the digest with it.
    mutating func rewriteICON(at place: Int? = nil, _ body: (JSON) throws -> JSON) throws
        -> UInt64
    {
        try rewrite(try place ?? payment(.icon)) { payload in
            guard case .transactionPrepared(let data) = payload else { return payload }
            let transaction = try ICONTransaction(params: body(try JSON.parse(data.bytes)))
            let input = TransactionPrepared.Input(
                outpoint: nil, amount: nil, digest: transaction.hash, path: data.inputs[0].path,
                publicKey: data.inputs[0].publicKey)
            return .transactionPrepared(
                TransactionPrepared(
                    wallet: data.wallet, bytes: Bytes(transaction.params.text().utf8),
                    inputs: [input], fee: data.fee, reserves: data.reserves))
        }
    }

    /// Changes the bytes of a signed transaction, and on Dash and Axe its id with them.
    mutating func rewriteSigned(
        _ chain: Chain, _ body: (TransactionSigned) throws -> Bytes
    ) throws -> UInt64 {
        try rewrite(try signed(chain)) { payload in
            guard case .transactionSigned(let data) = payload else { return payload }
            let bytes = try body(data)
            let txid = chain == .icon
                ? data.txid : Bytes(try UTXOTransaction.parse(bytes).txid.bytes.reversed())
            return .transactionSigned(TransactionSigned(txid: txid, bytes: bytes))
        }
    }
}

extension JSON {
    /// The object with a member added or changed.
    func setting(_ name: String, to value: JSON) -> JSON {
        var members = objectValue ?? []
        members.removeAll { $0.name == name }
        return .object(members + [Member(name: name, value: value)])
    }
}
