/// An amount of an asset in its minor units: duffs, loop, or a token's units; negative if given.
///
/// It is decimal text in JSON, because a token's amounts have up to 256 bits. For example:
///
///     let amount = MinorAmount(coins: "1.5", decimals: 8)
///     show(amount?.inCoins(decimals: 8), amount == 150_000_000)
public struct MinorAmount: Hashable, Sendable, Codable {
    /// The absolute value.
    package let magnitude: UInt256
    /// Whether it is less than zero.
    public let isNegative: Bool

    /// Nothing.
    public static let zero = MinorAmount(UInt256.zero)

    package init(_ magnitude: UInt256, isNegative: Bool = false) {
        self.magnitude = magnitude
        self.isNegative = isNegative && magnitude != .zero
    }

    /// An amount of so many minor units.
    public init(_ units: UInt64) { self.init(UInt256(units)) }

    /// An amount from decimal digits, with a `-` before them if it is negative.
    ///
    /// Nil for any other text, and for more than 256 bits.
    public init?(_ text: String) {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        guard let magnitude = UInt256(decimal: isNegative ? String(text.dropFirst()) : text)
        else { return nil }
        self.init(magnitude, isNegative: isNegative)
    }

    /// The minor units of an amount of whole coins such as `1.5`.
    ///
    /// Nil if it is no decimal number, has more decimals than the asset, or more than 256 bits.
    public init?(coins text: String, decimals: Int) {
        guard let magnitude = DecimalAmount.parse(text, decimals: decimals) else { return nil }
        self.init(magnitude)
    }

    /// The amount in whole coins such as `1.5`, of an asset with so many decimals.
    public func inCoins(decimals: Int) -> String {
        (isNegative ? "-" : "") + DecimalAmount.format(magnitude, decimals: decimals)
    }
}

extension MinorAmount: Comparable, CustomStringConvertible, ExpressibleByIntegerLiteral {
    /// Whether an amount is less than another.
    public static func < (left: MinorAmount, right: MinorAmount) -> Bool {
        switch (left.isNegative, right.isNegative) {
        case (false, false): left.magnitude < right.magnitude
        case (true, true): right.magnitude < left.magnitude
        case (true, false): true
        case (false, true): false
        }
    }

    /// The minor units as decimal digits, with a `-` before them if it is negative.
    public var description: String { (isNegative ? "-" : "") + magnitude.decimal }

    /// An amount from an integer literal.
    public init(integerLiteral units: UInt64) { self.init(units) }

    /// Decodes the decimal text.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let amount = MinorAmount(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "an amount is a whole number of minor units")
        }
        self = amount
    }

    /// Encodes the decimal text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension UInt64 {
    /// The minor units of an amount; nil if it is negative or has more than 64 bits.
    public init?(exactly amount: MinorAmount) {
        guard !amount.isNegative, let units = UInt64(exactly: amount.magnitude) else { return nil }
        self = units
    }
}
