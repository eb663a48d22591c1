package import DaybookChains
import DaybookCrypto
import DaybookEncoding

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
