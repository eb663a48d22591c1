public import Daybook
public import FoundationEssentials

/// The text of an error for Foundation: its message, one sentence in plain English.
///
/// The conformance is in a module of its own, because nothing else of the package loads Foundation.
/// Every package that depends on the product `Daybook` has it without a further import.
extension DaybookError: LocalizedError {
    /// The message.
    public var errorDescription: String? { message }
}
