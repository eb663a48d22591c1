import DaybookEncoding

/// Amounts and moments as literals, so that a test says `balance.confirmed == "849999774"`.
///
/// A text that is no amount stops the test.
extension MinorAmount: ExpressibleByStringInterpolation {
    public init(stringLiteral text: String) {
        guard let amount = MinorAmount(text.description) else {
            preconditionFailure("'\(text)' is no amount in minor units")
        }
        self = amount
    }
}

extension Timestamp: ExpressibleByIntegerLiteral {
    public init(integerLiteral microseconds: UInt64) { self.init(microseconds: microseconds) }

    /// The moment a number of microseconds later.
    public static func + (time: Timestamp, microseconds: UInt64) -> Timestamp {
        Timestamp(microseconds: time.microseconds + microseconds)
    }

    /// The moment a number of microseconds earlier.
    public static func - (time: Timestamp, microseconds: UInt64) -> Timestamp {
        Timestamp(microseconds: time.microseconds - microseconds)
    }
}
