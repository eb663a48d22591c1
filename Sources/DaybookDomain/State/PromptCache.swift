import DaybookChains
import DaybookEncoding

/// The payments and prompts that were made of a state, as long as it does not change.
///
/// From the prompt to the approval a request is shown, checked and decided on the same state: its
/// coins are selected once (`tools/bench lifecycle`).
final class PromptCache {
    private var payments: [(key: PaymentKey, value: Result<SelectedPayment, Refusal>)] = []
    private var prompts: [(key: PromptKey, value: Prompt)] = []

    /// All that a payment is made of, beside the state.
    struct PaymentKey: Equatable {
        let amount: UInt64
        let address: String
        let lockable: Bool
        let wallet: WalletID
    }

    /// All that a prompt is made of, beside the state.
    struct PromptKey: Equatable {
        let id: RequestID
        let request: Request
        let wallet: WalletID?
        let amount: UInt64?
        let repeats: RequestID?
    }

    /// So many of each are remembered: those that front ends look at together.
    private static let capacity = 16

    // A closure that makes the answer would take a copy of the state, which is large.

    func payment(for key: PaymentKey) -> Result<SelectedPayment, Refusal>? {
        payments.first { $0.key == key }?.value
    }

    func remember(_ value: Result<SelectedPayment, Refusal>, for key: PaymentKey) {
        if payments.count == Self.capacity { payments.removeFirst() }
        payments.append((key, value))
    }

    func prompt(for key: PromptKey) -> Prompt? {
        prompts.first { $0.key == key }?.value
    }

    func remember(_ value: Prompt, for key: PromptKey) {
        if prompts.count == Self.capacity { prompts.removeFirst() }
        prompts.append((key, value))
    }
}

/// A Dash or Axe payment: the coins, and whose keys sign for them.
struct SelectedPayment {
    let selection: CoinSelection
    let addresses: [AddressRow]
    /// The path of the change address; nil without change.
    let changePath: String?
}
