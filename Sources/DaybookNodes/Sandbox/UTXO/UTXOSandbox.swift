package import DaybookChains
import DaybookCrypto
package import DaybookEncoding

/// A small Dash or Axe chain that validates transactions as a node does and mines on demand.
///
/// It has no clock: times are arguments, in microseconds since 1970. The same calls give the same
/// rows, ids and block hashes. Not implemented are proof of work (a block's hash is the double
/// SHA-256 of its header, where the nodes use X11), scripts other than those that pay to a key or
/// its hash, special transactions, relative lock times and signature operation counts.
///
/// With the parameters of `Network.sandbox` the chain begins with a faucet that has mature coins.
/// With those of `Network.regtest` it begins empty, as a node's own regression test network, and
/// makes the same coinbase transactions, so that recorded sessions can be compared.
package struct UTXOSandbox {
    /// All of the chain's state.
    package var rows: any Rows
    package let parameters: UTXOParameters

    /// The chain stored in some rows; it is new if the rows are empty.
    package init(_ rows: any Rows, _ parameters: UTXOParameters) {
        self.rows = rows
        self.parameters = parameters
        keys = UTXOKeys(parameters.chain)
        genesis = .of(parameters)
    }

    /// The block subsidy in duffs: 500 coins, as on regtest up to height 150.
    package static let subsidy = 500 * Duffs.perCoin

    /// The minimum fee rate, in duffs for 1000 bytes.
    package static let feeRatePerKilobyte = UTXOFees.leastRate

    let keys: UTXOKeys
    let genesis: UTXOGenesis
}

extension UTXOSandbox {
    /// The faults that a test can inject into the chain.
    package struct Switches: Hashable, Sendable {
        /// The next transaction is refused with this error, whatever it is.
        package var refuseNext: UTXORefusal?
        /// The next transaction is lost on its way, and nothing is answered from then on.
        package var losesNext = false
        /// The answer to the next accepted transaction is lost.
        package var losesNextAnswer = false
        /// The chain accepts and answers nothing, so that callers time out.
        package var isSilent = false
        /// InstantSend locks nothing.
        package var withholdsLocks = false

        /// No faults.
        package init() {}
    }

    /// The injected faults; they are stored in the rows, so that other processes see them.
    package var switches: Switches {
        get { rows.value(keys.switches).flatMap { Switches(row: $0) } ?? Switches() }
        set {
            if newValue == Switches() {
                rows.remove(keys.switches)
            } else {
                rows.set(keys.switches, newValue.row)
            }
        }
    }
}

extension UTXOSandbox {
    /// Empties the mempool, as a node can do when it restarts.
    package mutating func forgetMempool() {
        // Children came after their parents, so they are removed first.
        for txid in mempool.reversed() {
            if let entry = entry(txid) { remove(entry, txid) }
        }
    }
}

extension UTXOSandbox.Switches {
    fileprivate init?(row: Bytes) {
        guard let record = try? CBOR.decode(row) else { return nil }
        if let code = record["code"]?.intValue, let message = record["message"]?.textValue {
            refuseNext = UTXORefusal(code: Int(code), message: message)
        }
        losesNext = record["losesAll"]?.boolValue ?? false
        losesNextAnswer = record["loses"]?.boolValue ?? false
        isSilent = record["silent"]?.boolValue ?? false
        withholdsLocks = record["unlocked"]?.boolValue ?? false
    }

    fileprivate var row: Bytes {
        CBOR.record([
            "code": refuseNext.map { .int(Int64($0.code)) },
            "message": refuseNext.map { .text($0.message) },
            "losesAll": .bool(losesNext), "loses": .bool(losesNextAnswer),
            "silent": .bool(isSilent),
            "unlocked": .bool(withholdsLocks),
        ]).encoded()
    }
}

extension UTXOSandbox {
    /// Pays from the faucet with a signed transaction, which enters the mempool.
    ///
    /// Refuses as a node's wallet does: -6 if the faucet has not enough, -26 for dust. Only
    /// `Network.sandbox` has a faucet. The switches do not apply.
    package mutating func fund(
        _ address: UTXOAddress, amount: UInt64
    ) throws(UTXORefusal) -> TransactionID {
        let selection = try select(amount, to: address.scriptPubKey)
        let unsigned = UnsignedTransaction(selection)
        let key = UTXOGenesis.faucetKey(parameters.chain)
        let publicKey = key.publicKey
        var signatures: [UnsignedTransaction.Signature] = []
        for digest in unsigned.digests {
            guard let signature = key.sign(digest: digest) else {
                throw UTXORefusal(code: -4, message: "Signing transaction failed")
            }
            signatures.append(UnsignedTransaction.Signature(signature, by: publicKey))
        }
        let signed: UTXOTransaction
        do {
            signed = try unsigned.signed(with: signatures)
        } catch {
            throw UTXORefusal(code: -4, message: "Signing transaction failed")
        }
        do {
            return try admit(signed.serialized())
        } catch {
            throw error.refusal(on: parameters.chain)
        }
    }

    /// Prefers confirmed coins: spending unconfirmed ones runs into the limit of ancestors.
    private func select(_ amount: UInt64, to script: Bytes) throws(UTXORefusal) -> CoinSelection {
        let coins = faucetCoins()
        if let selection = try? select(amount, to: script, from: coins.filter(\.isInBlock)) {
            return selection
        }
        do {
            return try select(amount, to: script, from: coins)
        } catch {
            switch error {
            case .insufficient, .unspendable, .chainTooLong:
                throw UTXORefusal(code: -6, message: "Insufficient funds")
            case .dust: throw UTXOFault.rule("dust", .nonstandard).refusal(on: parameters.chain)
            case .amountOutOfRange: throw UTXORefusal(code: -3, message: "Amount out of range")
            case .tooLarge, .rateTooHigh, .feeTooHigh:
                throw UTXORefusal(code: -6, message: "Transaction too large")
            }
        }
    }

    private func select(
        _ amount: UInt64, to script: Bytes, from coins: [Coin]
    ) throws(CoinSelectionError) -> CoinSelection {
        try CoinSelection.select(
            candidates: CoinsByAmount(coins), target: amount, script: script,
            feeRatePerKilobyte: Self.feeRatePerKilobyte,
            changeScript: genesis.faucetScript, parameters: parameters)
    }

    private func faucetCoins() -> [Coin] {
        let height = tip.height
        return outpoints(of: genesis.faucetScript).compactMap { outpoint in
            guard rows.value(keys.spender(outpoint)) == nil,
                let (output, entry) = output(at: outpoint)
            else { return nil }
            return Coin(
                outpoint: outpoint, amount: output.amount, script: output.script,
                confirmations: entry.height.map { height - $0 + 1 } ?? 0,
                isCoinbase: entry.transaction.isCoinbase, isLocked: entry.isLocked)
        }
    }
}

extension Coin {
    fileprivate var isInBlock: Bool { confirmations > 0 }
}
