/// Why bytes are not a transaction, and where they cease to be one.
package struct TransactionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    package enum Reason: String, Hashable, Sendable {
        case endsEarly = "the bytes end inside the transaction"
        case trailingBytes = "bytes follow the transaction"
        case longCount = "a count is not written in its shortest form"
        case absurdCount = "a count is larger than the bytes that are left"
    }

    /// What is wrong.
    package let reason: Reason
    /// Where, in bytes from the start.
    package let offset: Int

    /// An error at an offset.
    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The reason in words, and the place.
    package var description: String { "\(reason.rawValue) (offset \(offset))" }
}
