import DaybookChains
import DaybookEncoding
import Synchronization

/// A cache of the payments and prompts computed from a state, valid until the state changes.
///
/// A request is shown, checked and decided on the same state, and its coins are selected only once
/// (`tools/bench lifecycle`).
final class PromptCache: Sendable {
    private let entries: Mutex<Entries>

    /// The cached payments and prompts.
    struct Entries: Sendable {
        typealias Payment = (key: PaymentKey, value: Result<SelectedPayment, Refusal>)

        fileprivate(set) var payments: [Payment] = []
        fileprivate(set) var prompts: [(key: PromptKey, value: Prompt)] = []
    }

    /// A cache with some entries.
    init(_ entries: Entries = Entries()) { self.entries = Mutex(entries) }

    /// The present entries.
    var content: Entries { entries.withLock { $0 } }

    /// All that a payment depends on, besides the state.
    struct PaymentKey: Equatable {
        /// Nil if the coins pay all that they hold.
        let amount: UInt64?
        let coins: CoinChoice
        let address: String
        let lockable: Bool
        let wallet: WalletID
        let maxFeeRate: UInt64
    }

    /// All that a prompt depends on, besides the state.
    struct PromptKey: Equatable {
        let id: RequestID
        let request: Request
        let wallet: WalletID?
        let amount: UInt64?
        let coins: CoinChoice
        let repeats: RequestID?
        let maxFeeRate: UInt64
        let engine: UInt64
    }

    /// The maximum number of entries of each kind: the requests that front ends show at a time.
    private static let capacity = 16

    // Lookup and insertion are two calls, because a closure that computes the value would copy the
    // state.

    func payment(for key: PaymentKey) -> Result<SelectedPayment, Refusal>? {
        entries.withLock { $0.payments.first { $0.key == key }?.value }
    }

    func remember(_ value: Result<SelectedPayment, Refusal>, for key: PaymentKey) {
        entries.withLock { entries in
            if entries.payments.count == Self.capacity { entries.payments.removeFirst() }
            entries.payments.append((key, value))
        }
    }

    func prompt(for key: PromptKey) -> Prompt? {
        entries.withLock { $0.prompts.first { $0.key == key }?.value }
    }

    func remember(_ value: Prompt, for key: PromptKey) {
        entries.withLock { entries in
            if entries.prompts.count == Self.capacity { entries.prompts.removeFirst() }
            entries.prompts.append((key, value))
        }
    }

    /// The cached payments, and the prompts of one request.
    func keeping(_ id: RequestID) -> PromptCache {
        var kept = content
        kept.prompts.removeAll { $0.key.id != id }
        return PromptCache(kept)
    }
}

/// The coins of a Dash or Axe payment, and the addresses whose keys sign for them.
struct SelectedPayment: Sendable {
    let selection: CoinSelection
    let addresses: [AddressRow]
    /// The path of the change address; nil without change.
    let changePath: String?

    /// The change, if a wallet restored from these keys may not find it.
    func farChange(_ material: PublicMaterial) -> PaymentTerms.FarChange? {
        guard let path = changePath.flatMap({ DerivationPath($0) }) else { return nil }
        // Most paths are among the first, and the inputs' need not be read.
        if material.finds(changeAt: path, spending: []) { return nil }
        return material.farChange(
            to: path, of: selection.change?.amount,
            spending: addresses.compactMap { DerivationPath($0.path) })
    }
}
