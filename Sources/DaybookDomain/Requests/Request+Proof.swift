package import DaybookEncoding

extension Request {
    /// What becomes of the proof of payment that a link asks for with `pop` (BIP 321).
    ///
    /// The proof is the signed transaction. It is the request's callback: it stands behind the
    /// prefix that the link named, and `Caller` has that prefix.
    package enum Proof: String, Sendable {
        /// The caller gets it, unless the transaction is too long.
        case wanted
        /// Likewise, and a payment that is too long for it is not made.
        case required
        /// The caller gets none and the payment is made: no app may be opened with that prefix.
        case declined
    }

    /// Whether the caller gets the transaction of a payment that spends so many coins.
    ///
    /// It depends on nothing that only a signature tells: the user reads it before approving.
    package func sendsProof(spending coins: Int) -> Bool {
        switch proof {
        case .wanted, .required: coins <= Self.mostCoinsInProof
        case .declined, nil: false
        }
    }

    /// A coin takes 148 bytes of a transaction, in hexadecimal twice that: with a prefix of 512
    /// bytes the URL stays below 64 KiB, the most that a callback may have.
    private static let mostCoinsInProof = 200

    /// What the caller is told of a transaction that was sent; nil for nothing.
    ///
    /// `signed` is the transaction where the caller gets it as proof.
    package func reply(sending txid: Bytes, signed: Bytes?) -> Reply? {
        let hex = Hex.encode(txid)
        guard case .pay(let address, _, _) = action else { return .transactionHash("0x" + hex) }
        switch proof {
        case .wanted, .required: return signed.map { .proof(transaction: $0) }
        case .declined, nil: return .paid(address: address, transaction: hex)
        }
    }
}
