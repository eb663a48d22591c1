package import DaybookChains
import DaybookCrypto
package import DaybookEncoding

extension ICONSandbox {
    /// Sends ICX from the faucet; the transaction's hash comes back, and it waits for a block.
    ///
    /// The switches are not heeded.
    package mutating func fund(
        _ holder: ICONAddress, loop: UInt256, at time: UInt64
    ) throws(ICONRefusal) -> Bytes {
        try send(
            ICONDraft(
                from: Self.faucet, to: holder, value: loop, timestamp: time, nid: Self.nid),
            at: time)
    }

    /// Sends tokens from the faucet, in the token's smallest unit.
    package mutating func fundTokens(
        _ holder: ICONAddress, amount: UInt256, at time: UInt64
    ) throws(ICONRefusal) -> Bytes {
        try send(
            .tokenTransfer(
                IRC2.Transfer(from: Self.faucet, to: holder, value: amount), of: Self.token,
                timestamp: time, nid: Self.nid),
            at: time)
    }

    /// Signs with the faucet's key; the first nonce that makes a transaction of its own is taken.
    private mutating func send(_ draft: ICONDraft, at time: UInt64) throws(ICONRefusal) -> Bytes {
        var draft = draft
        var nonce: UInt64 = 0
        while true {
            draft.nonce = UInt256(nonce)
            let steps = try estimateSteps(draft.params)
            guard let transaction = try? draft.transaction(stepLimit: UInt256(steps)),
                let signature = Self.faucetKey().signRecoverable(digest: transaction.hash)
            else { throw .system("E2005:Failed to verify transaction") }
            if entry(transaction.hash) == nil {
                return try admit(transaction.signed(by: ICONSignature(signature)), at: time)
            }
            nonce += 1
        }
    }
}
