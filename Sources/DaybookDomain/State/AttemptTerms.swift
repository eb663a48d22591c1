import DaybookChains
import DaybookCrypto
import DaybookEncoding

/// What makes two transactions the same payment, made twice: chain, network, recipient and amount.
///
/// Terms are digests, so that a key of the state can hold any of them.
enum AttemptTerms {
    /// A payment on Dash or Axe; the amount is nil where the user entered it.
    ///
    /// The same link can come again and be given another amount: then the recipient is all that
    /// both payments share.
    static func payment(
        _ chain: Chain, _ network: Network, to script: Bytes, of amount: UInt64?
    ) -> Bytes {
        digest(chain, network, script + (amount.map { BigEndian.bytes($0) } ?? []))
    }

    /// What bumps or cancels a payment: to repeat it is no second payment of anything.
    static func remedy(
        _ chain: Chain, _ network: Network, _ remedy: Remedy, of payment: RequestID
    ) -> Bytes {
        digest(chain, network, Bytes("\(remedy.rawValue) \(payment)".utf8))
    }

    /// A transaction on ICON: its parameters without those that differ each time it is made.
    static func transaction(_ network: Network, _ params: JSON) -> Bytes? {
        guard case .object(let members) = params else { return nil }
        let lasting = members.filter { member in
            !changing.contains(Bytes(member.name.utf8)) && !isNothing(member)
        }
        guard let text = try? ICONSerialization.text(of: .object(lasting)) else { return nil }
        return digest(.icon, network, Bytes(text.utf8))
    }

    private static let changing = ["version", "stepLimit", "timestamp", "nonce", "signature"]
        .map { Bytes($0.utf8) }

    /// A value of zero is the same as none.
    private static func isNothing(_ member: JSON.Member) -> Bool {
        member.name == "value"
            && member.value.stringValue.flatMap(ICONInteger.parse) == UInt256.zero
    }

    private static func digest(_ chain: Chain, _ network: Network, _ rest: Bytes) -> Bytes {
        SHA256.hash(Bytes("\(chain.rawValue) \(network.rawValue)\n".utf8) + rest)
    }
}

extension Request {
    /// The terms under which earlier attempts of this payment are on record, in a wallet.
    func attemptTerms(_ wallet: WalletAdded, amount: UInt64?) -> [Bytes] {
        switch action {
        case .pay(let address, let fixed, _):
            guard let script = UTXOAddress(address, chain: wallet.chain)?.scriptPubKey,
                let amount = fixed ?? amount
            else { return [] }
            return AttemptTerms.payments(wallet.chain, wallet.network, to: script, of: amount)
        case .sendTransaction(let params):
            return [AttemptTerms.transaction(wallet.network, params)].compactMap(\.self)
        case .sendICX, .sendToken:
            guard case .success(let draft) = Spending.draft(action, in: wallet, at: 0) else {
                return []
            }
            return [AttemptTerms.transaction(wallet.network, draft.params)].compactMap(\.self)
        case .address, .masterPublicKey, .bind, .sign, .remedy: return []
        }
    }
}

extension AttemptTerms {
    /// What an earlier payment of an amount may be on record under: that amount, or any.
    static func payments(
        _ chain: Chain, _ network: Network, to script: Bytes, of amount: UInt64
    ) -> [Bytes] {
        [
            payment(chain, network, to: script, of: amount),
            payment(chain, network, to: script, of: nil),
        ]
    }
}
