package import DaybookCrypto
package import DaybookEncoding

/// The address of an account (`hx…`) or a contract (`cx…`).
package struct ICONAddress: Hashable, Sendable {
    /// The kind of an address; the raw value is its prefix.
    package enum Kind: String, Hashable, Sendable {
        case account = "hx"
        case contract = "cx"
    }

    package let kind: Kind
    /// The 20 bytes after the prefix.
    package let hash: Bytes

    /// An address of 20 bytes; nil for another number of them.
    package init?(kind: Kind, hash: Bytes) {
        guard hash.count == 20 else { return nil }
        self.kind = kind
        self.hash = hash
    }

    /// Parses an address: the prefix and 40 lower-case digits, as nodes require.
    package init?(_ text: String) {
        let bytes = Bytes(text.utf8)
        guard bytes.count == 42 else { return nil }
        for index in 2..<42 where !ICONInteger.isDigit(bytes[index]) { return nil }
        guard let kind = Kind(rawValue: String(decoding: bytes[..<2], as: UTF8.self)),
            let hash = Hex.decode(bytes[2...])
        else { return nil }
        self.kind = kind
        self.hash = hash
    }

    /// The account of a public key: the last 20 bytes of the SHA3-256 of its coordinates.
    package init(_ key: PublicKey) {
        kind = .account
        hash = Bytes(SHA3_256.hash(Bytes(key.uncompressed.dropFirst())).suffix(20))
    }

    /// The prefix and 40 hexadecimal digits.
    package var text: String { kind.rawValue + Hex.encode(hash) }

    /// The system contract, which answers queries about step prices and costs.
    package static let system = ICONAddress(
        kind: .contract, fixed: Bytes(repeating: 0, count: 20))

    private init(kind: Kind, fixed hash: Bytes) {
        self.kind = kind
        self.hash = hash
    }
}

/// ICON's text form of an integer (T_INT): `0x` and lower-case digits without leading zeros.
package enum ICONInteger {
    /// Parses the canonical form of a number of up to 256 bits.
    package static func parse(_ text: String) -> UInt256? {
        digits(text).flatMap { UInt256(hex: $0) }
    }

    /// As `parse`, for numbers of up to 63 bits: times, network ids and heights.
    package static func parseSmall(_ text: String) -> UInt64? {
        parse(text).flatMap { UInt64(exactly: $0) }.flatMap { $0 <= Int64.max ? $0 : nil }
    }

    /// The canonical text of a number.
    package static func text(_ number: UInt256) -> String { "0x" + number.hex }

    /// The canonical text of a small number.
    package static func text(_ number: UInt64) -> String { "0x" + String(number, radix: 16) }

    /// Whether a text is `0x0`, or `0x` and lower-case digits of which the first is not 0.
    package static func isCanonical(_ text: String) -> Bool {
        digits(text) != nil
    }

    /// The digits after `0x` in a canonical text.
    private static func digits(_ text: String) -> ArraySlice<UInt8>? {
        let bytes = Bytes(text.utf8)
        guard bytes.count > 2, bytes[0] == UInt8(ascii: "0"), bytes[1] == UInt8(ascii: "x"),
            bytes[2...].allSatisfy(isDigit), bytes.count == 3 || bytes[2] != UInt8(ascii: "0")
        else { return nil }
        return bytes[2...]
    }

    /// Whether a character is a hexadecimal digit in lower case.
    package static func isDigit(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
        default: false
        }
    }
}
