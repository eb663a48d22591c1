import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLog
import Testing

@testable import DaybookReplay

/// Prepared payments that are right but for one thing, and events that belong to no request.
extension Forgery {
    static let coins = [
        Forgery("a payment to somebody else besides", .paysSomethingElse) { log in
            try log.rewritePayment(.dash) { transaction in
                let change = transaction.outputs.indices.max {
                    transaction.outputs[$0].amount < transaction.outputs[$1].amount
                } ?? 0
                var other = transaction.outputs[change]
                other.amount = 100_000
                other.script[4] ^= 1
                transaction.outputs[change].amount -= other.amount
                transaction.outputs.append(other)
            }
        },
        Forgery("a payment of more than its coins", .paysSomethingElse) { log in
            try log.rewritePayment(.dash) { transaction in
                let change = transaction.outputs.max { $0.amount < $1.amount }
                if let change { transaction.outputs.append(change) }
            }
        },
        Forgery("a fee that was not shown", .paysSomethingElse) { log in
            try log.rewrite(try log.payment(.dash)) { payload in
                guard case .transactionPrepared(let data) = payload else { return payload }
                var transaction = try UTXOTransaction.parse(data.bytes)
                let change = transaction.outputs.indices.max {
                    transaction.outputs[$0].amount < transaction.outputs[$1].amount
                } ?? 0
                transaction.outputs[change].amount -= 1000
                let fee = try #require(data.fee.adding(UInt256(1000)))
                return .transactionPrepared(
                    try data.making(transaction, of: data.inputs, fee: fee))
            }
        },
        Forgery("other coins spent than the log names", .paysSomethingElse) { log in
            try log.rewrite(try log.payment(.dash)) { payload in
                guard case .transactionPrepared(let data) = payload else { return payload }
                var transaction = try UTXOTransaction.parse(data.bytes)
                let outpoint = transaction.inputs[0].outpoint
                transaction.inputs[0].outpoint = Outpoint(outpoint.txid, outpoint.index + 7)
                let other = try data.making(transaction, of: data.inputs)
                let inputs = zip(data.inputs, other.inputs).map { $0.with(digest: $1.digest) }
                return .transactionPrepared(
                    TransactionPrepared(
                        wallet: other.wallet, bytes: other.bytes, inputs: inputs, fee: other.fee,
                        reserves: other.reserves))
            }
        },
        Forgery("a coin that is held back for another request", .paysSomethingElse) { log in
            let places = log.records.indices.filter { place in
                log.prepared(place)?.inputs.first?.amount == 500 * Duffs.perCoin
            }
            // Two were sent; the coins of the others are held back while a node is silent.
            try #require(places.count == 4)
            let held = try #require(log.prepared(places[2]))
            return try log.rewrite(places[3]) { payload in
                guard case .transactionPrepared(let data) = payload else { return payload }
                var transaction = try UTXOTransaction.parse(data.bytes)
                transaction.inputs[0].outpoint = try #require(held.inputs[0].outpoint)
                return .transactionPrepared(try data.making(transaction, of: held.inputs))
            }
        },
        Forgery("a coin with another amount", .paysSomethingElse) { log in
            try log.rewrite(try log.payment(.dash)) { payload in
                guard case .transactionPrepared(let data) = payload else { return payload }
                var transaction = try UTXOTransaction.parse(data.bytes)
                let target = transaction.outputs.map(\.amount).min()
                let change = try #require(
                    transaction.outputs.firstIndex { $0.amount != target })
                transaction.outputs[change].amount += 1000
                let inputs = data.inputs.map { $0.with(amount: ($0.amount ?? 0) + 1000) }
                return .transactionPrepared(try data.making(transaction, of: inputs))
            }
        },
        Forgery("a coin of another key", .paysSomethingElse) { log in
            let own = try #require(log.prepared(try log.payment(.dash))?.inputs.first).publicKey
            let keys = log.records.indices.flatMap { log.prepared($0)?.inputs ?? [] }
            let other = try #require(keys.first { $0.publicKey != own }).publicKey
            return try log.rewriteInputs(.dash) { $0.with(publicKey: other) }
        },
        Forgery("a digest of something else", .paysSomethingElse) { log in
            try log.rewriteInputs(.dash) { input in
                input.with(digest: input.digest.dropLast() + [input.digest[31] ^ 1])
            }
        },
        Forgery("an ICON digest of something else", .paysSomethingElse) { log in
            try log.rewriteInputs(.icon) { input in
                input.with(digest: input.digest.dropLast() + [input.digest[31] ^ 1])
            }
        },
        Forgery("an ICON payment on another network", .paysSomethingElse) { log in
            try log.rewriteICON { $0.setting("nid", to: .string("0x1")) }
        },
        Forgery("a wallet that nobody approved", .notApproved) { log in
            let other = try #require(log.prepared(try log.payment(.axe))).wallet
            return try log.rewrite(try log.payment(.dash)) { payload in
                guard case .transactionPrepared(let data) = payload else { return payload }
                return .transactionPrepared(
                    TransactionPrepared(
                        wallet: other, bytes: data.bytes, inputs: data.inputs, fee: data.fee,
                        reserves: data.reserves))
            }
        },
        Forgery("a signed transaction without a signature", .unsignedDecision) { log in
            let place = try log.first("transaction.signed")
            try #require(log.records[place - 1].type == "signature.made")
            _ = try log.change(place - 1) {
                $0.altered(type: "callback.delivered", data: .map([]))
            }
            try #require(log.records[place - 2].type == "transaction.prepared")
            return UInt64(place - 2)
        },
        Forgery("a prepared transaction of no request", .notApproved) { log in
            try log.orphan(try log.first("transaction.prepared"))
        },
        Forgery("a signed transaction of no request", .notApproved) { log in
            try log.orphan(try log.first("transaction.signed"))
        },
        Forgery("a transaction sent of no request", .sentUnsigned) { log in
            try log.orphan(try log.first("transaction.sent"))
        },
        Forgery("an address given of no request", .givenWithoutDecision) { log in
            try log.orphan(try log.first("binding.granted"))
        },
        Forgery("a callback of no request", .givenWithoutDecision) { log in
            try log.orphan(try log.first("callback.emitted"))
        },
    ]
}

extension Forging {
    func prepared(_ place: Int) -> TransactionPrepared? {
        guard case .transactionPrepared(let data)? = payload(place) else { return nil }
        return data
    }

    /// Makes an event one of no request.
    fileprivate mutating func orphan(_ place: Int) throws -> UInt64 {
        try change(place) { $0.altered(request: .some(nil)) }
    }

    /// Changes what the log says of a payment's inputs, and nothing else.
    fileprivate mutating func rewriteInputs(
        _ chain: Chain, _ body: (TransactionPrepared.Input) -> TransactionPrepared.Input
    ) throws -> UInt64 {
        try rewrite(try payment(chain)) { payload in
            guard case .transactionPrepared(let data) = payload else { return payload }
            return .transactionPrepared(
                TransactionPrepared(
                    wallet: data.wallet, bytes: data.bytes, inputs: data.inputs.map(body),
                    fee: data.fee, reserves: data.reserves))
        }
    }
}

extension TransactionPrepared {
    /// The same but of this transaction, which spends these coins: the digests are right.
    func making(_ transaction: UTXOTransaction, of inputs: [Input], fee: UInt256? = nil) throws
        -> Self
    {
        let spent = inputs.map { input in
            UTXOTransaction.Output(
                amount: input.amount ?? 0,
                script: Script.p2pkh(Hash160.hash(input.publicKey)).bytes)
        }
        let unsigned = try #require(UnsignedTransaction(transaction, spending: spent))
        let coins = transaction.inputs.indices.map { place in
            inputs[place].with(
                outpoint: transaction.inputs[place].outpoint, digest: unsigned.digests[place])
        }
        return Self(
            wallet: wallet, bytes: transaction.serialized(), inputs: coins,
            fee: fee ?? self.fee, reserves: reserves)
    }
}

extension TransactionPrepared.Input {
    fileprivate func with(
        outpoint: Outpoint? = nil, amount: UInt64? = nil, digest: Bytes? = nil,
        publicKey: Bytes? = nil
    ) -> Self {
        Self(
            outpoint: outpoint ?? self.outpoint, amount: amount ?? self.amount,
            digest: digest ?? self.digest, path: path, publicKey: publicKey ?? self.publicKey)
    }
}
