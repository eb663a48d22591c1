package import DaybookChains
import DaybookCrypto
package import DaybookEncoding

/// A small Dash or Axe chain in rows: it checks what a node checks and mines when it is told to.
///
/// It knows no clock: times come with the calls, in microseconds since 1970. The same calls give
/// the same rows, ids and block hashes. What it leaves out: proof of work (a block's hash is the
/// double SHA-256 of its header, where the nodes use X11), scripts other than those that pay to a
/// key or its hash, special transactions, relative lock times and signature operation counts.
///
/// With the parameters of `Network.sandbox` it begins with a faucet that has mature coins; with
/// those of `Network.regtest` it begins as empty as a node's own regression test network, whose
/// coinbase transactions it then makes bit by bit, so that recorded sessions can be compared.
package struct UTXOSandbox {
    /// Where all of its state is.
    package var rows: any Rows
    /// Which chain this is.
    package let parameters: UTXOParameters

    /// The chain in some rows; rows without any of its own are the chain at its beginning.
    package init(_ rows: any Rows, _ parameters: UTXOParameters) {
        self.rows = rows
        self.parameters = parameters
        keys = UTXOKeys(parameters.chain)
        genesis = .of(parameters)
    }

    /// What a block pays its miner beside the fees, in duffs: 500 coins, as regtest to height 150.
    package static let subsidy = 500 * Duffs.perCoin

    /// The rate that the chain asks for, in duffs for 1000 bytes.
    package static let feeRatePerKilobyte = RelayPolicy.minimumFeePerKilobyte

    let keys: UTXOKeys
    let genesis: UTXOGenesis
}

extension UTXOSandbox {
    /// What a test can make the chain do wrong.
    package struct Switches: Hashable, Sendable {
        /// The next transaction is refused with this, whatever it is.
        package var refuseNext: UTXORefusal?
        /// The next transaction that is accepted is so without its sender hearing of it.
        package var losesNextAnswer = false
        /// Nothing is taken or answered; whoever asks must find that out by waiting.
        package var isSilent = false
        /// InstantSend locks nothing.
        package var withholdsLocks = false

        /// A chain that does nothing wrong.
        package init() {}
    }

    /// What the chain does wrong; part of its rows, and so seen by other processes.
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
    /// Forgets the transactions that wait for a block, as a node can that starts anew.
    package mutating func forgetMempool() {
        // What depends on another came after it.
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
        losesNextAnswer = record["loses"]?.boolValue ?? false
        isSilent = record["silent"]?.boolValue ?? false
        withholdsLocks = record["unlocked"]?.boolValue ?? false
    }

    fileprivate var row: Bytes {
        CBOR.record([
            "code": refuseNext.map { .int(Int64($0.code)) },
            "message": refuseNext.map { .text($0.message) },
            "loses": .bool(losesNextAnswer), "silent": .bool(isSilent),
            "unlocked": .bool(withholdsLocks),
        ]).encoded()
    }
}

extension UTXOSandbox {
    /// Pays from the faucet with a signed transaction, which waits for a block.
    ///
    /// Refuses as a node's wallet does: -6 where the faucet has not so much, -26 for dust. A
    /// chain that is not `Network.sandbox` has no faucet. The switches are not heeded.
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

    /// Coins in a block go first: each unconfirmed one makes a row of dependent transactions.
    private func select(_ amount: UInt64, to script: Bytes) throws(UTXORefusal) -> CoinSelection {
        let coins = faucetCoins()
        if let selection = try? select(amount, to: script, from: coins.filter(\.isInBlock)) {
            return selection
        }
        do {
            return try select(amount, to: script, from: coins)
        } catch {
            switch error {
            case .insufficient, .unspendable:
                throw UTXORefusal(code: -6, message: "Insufficient funds")
            case .dust: throw UTXOFault.rule("dust", .nonstandard).refusal(on: parameters.chain)
            case .amountOutOfRange: throw UTXORefusal(code: -3, message: "Amount out of range")
            case .tooLarge, .feeTooHigh:
                throw UTXORefusal(code: -6, message: "Transaction too large")
            }
        }
    }

    private func select(
        _ amount: UInt64, to script: Bytes, from coins: [Coin]
    ) throws(CoinSelectionError) -> CoinSelection {
        try CoinSelection.select(
            candidates: coins, target: amount, script: script,
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
