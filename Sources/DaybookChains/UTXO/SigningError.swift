/// Why signatures do not complete a transaction, and at which input.
package struct SigningError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    package enum Reason: String, Hashable, Sendable {
        case count = "there is not one signature for each input"
        case script = "the spent output does not pay to a key's hash"
        case key = "the spent output pays to another key"
        case signature = "the signature does not verify"
    }

    /// What is wrong.
    package let reason: Reason
    /// Where, from 0.
    package let input: Int

    /// An error at an input.
    package init(_ reason: Reason, input: Int) {
        self.reason = reason
        self.input = input
    }

    /// The reason in words, and the place.
    package var description: String { "\(reason.rawValue) (input \(input))" }
}
