import DaybookChains

/// Why the signer did not sign: the transaction is not what was shown, or can't be checked.
package enum SigningRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    /// The terms are of another chain or network than the wallet.
    case wrongNetwork
    /// The bytes are not those of an ordinary transaction with inputs and outputs.
    case malformed
    /// An input is spent twice in the same transaction.
    case repeatedInput(Int)
    /// The transaction that made the coin of this input was not supplied.
    case previousMissing(input: Int)
    /// The coin of this input does not belong to the key at its path.
    case foreignInput(Int)
    /// No output pays the recipient the amount that was shown.
    case recipientMissing
    /// This output pays neither the recipient nor a change address of the wallet.
    case foreignOutput(Int)
    /// The outputs are worth more than the inputs.
    case overspent
    /// The fee is higher than the one that was shown.
    case feeTooHigh(fee: UInt64, highest: UInt64)
    /// A parameter of an ICON transaction is not the one that was shown.
    case parameterChanged(String)
    /// The timestamp of an ICON transaction is not the time of its approval.
    case wrongTime(UInt64)
    /// The wallet has no such key.
    case noKey(at: String)

    /// The error as one line in lower case.
    package var description: String {
        switch self {
        case .wrongNetwork: "the terms are of another chain or network than the wallet"
        case .malformed: "the transaction is not an ordinary one"
        case .repeatedInput(let input): "input \(input) spends the coin of an earlier one"
        case .previousMissing(let input):
            "the transaction that made the coin of input \(input) is missing"
        case .foreignInput(let input): "the coin of input \(input) is not of this wallet's key"
        case .recipientMissing: "the transaction does not pay what was shown"
        case .foreignOutput(let output): "output \(output) pays somebody who was not shown"
        case .overspent: "the transaction pays more than it spends"
        case .feeTooHigh(let fee, let highest): "the fee is \(fee) duffs, \(highest) were shown"
        case .parameterChanged(let name): "the parameter \(name) is not the one that was shown"
        case .wrongTime(let time): "the timestamp \(time) is not the time of the approval"
        case .noKey(let path): "the wallet has no key at \(path)"
        }
    }
}
