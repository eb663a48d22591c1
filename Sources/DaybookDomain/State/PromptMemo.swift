import DaybookChains
import DaybookEncoding

/// The payments and prompts that were made of a state, as long as it does not change.
///
/// From the prompt to the approval a request is shown, checked and decided on the same state: its
/// coins are selected once (`tools/bench lifecycle`).
final class PromptMemo {
    private var payments: [(question: PaymentQuestion, answer: Result<SelectedPayment, Refusal>)]
        = []
    private var prompts: [(question: PromptQuestion, answer: Prompt)] = []

    /// All that a payment is made of, beside the state.
    struct PaymentQuestion: Equatable {
        let amount: UInt64
        let address: String
        let lockable: Bool
        let wallet: WalletID
    }

    /// All that a prompt is made of, beside the state.
    struct PromptQuestion: Equatable {
        let id: RequestID
        let request: Request
        let wallet: WalletID?
        let amount: UInt64?
        let repeats: RequestID?
    }

    /// So many of each are remembered: those that front ends look at together.
    private static let capacity = 16

    // A closure that makes the answer would take a copy of the state, which is large.

    func payment(_ question: PaymentQuestion) -> Result<SelectedPayment, Refusal>? {
        payments.first { $0.question == question }?.answer
    }

    func remember(_ answer: Result<SelectedPayment, Refusal>, _ question: PaymentQuestion) {
        if payments.count == Self.capacity { payments.removeFirst() }
        payments.append((question, answer))
    }

    func prompt(_ question: PromptQuestion) -> Prompt? {
        prompts.first { $0.question == question }?.answer
    }

    func remember(_ answer: Prompt, _ question: PromptQuestion) {
        if prompts.count == Self.capacity { prompts.removeFirst() }
        prompts.append((question, answer))
    }
}

/// A Dash or Axe payment: the coins, and whose keys sign for them.
struct SelectedPayment {
    let selection: CoinSelection
    let addresses: [AddressRow]
    /// The path of the change address; nil without change.
    let changePath: String?
}
