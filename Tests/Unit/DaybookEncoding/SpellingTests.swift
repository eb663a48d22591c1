import DaybookEncoding
import Testing

/// Comparing a value's bytes with the value, without spelling it.
struct SpellingTests {
    /// Values of every kind, each different from all others.
    private static let values: [CBOR] = [
        .unsigned(0), .unsigned(23), .unsigned(24), .unsigned(.max), .negative(0), .negative(300),
        .bytes([]), .bytes([1]), .bytes([1, 2]), .bytes(Bytes(repeating: 7, count: 300)),
        .text(""), .text("a"), .text("b"), .text("é"), .text("e\u{301}"), .bool(true),
        .bool(false), .null, .array([]), .array([.null]), .array([.null, .null]),
        .array([.array([.unsigned(1)])]), .map([]), .record(["a": .unsigned(1)]),
        .record(["a": .unsigned(2)]), .record(["b": .unsigned(1)]),
        .record(["a": .unsigned(1), "b": .unsigned(1)]),
        .record(["a": .unsigned(1), "b": .record(["c": .null, "bb": .null])]),
        .envelope([1: .unsigned(1)]), many(40), many(41),
    ]

    /// A map of so many fields, not in the order in which they are written.
    private static func many(_ count: Int) -> CBOR {
        .map(
            (0..<count).reversed().map { number in
                CBOR.Entry(key: .text("field \(number)"), value: .unsigned(UInt64(number)))
            })
    }

    @Test func `bytes are a value's spelling if they are what it is written as`() throws {
        for (index, value) in Self.values.enumerated() {
            for (other, written) in Self.values.enumerated() {
                let bytes = try EncodedCBOR(written.encoded())
                #expect(bytes.isSpelling(of: value) == (index == other), "\(written) is \(value)")
            }
        }
    }

    @Test func `the order of a map's fields does not matter, what they are does`() throws {
        let fields = (0..<6).map { CBOR.Entry(key: .text("\($0)"), value: .unsigned($0)) }
        let bytes = try EncodedCBOR(CBOR.map(fields).encoded())
        for shift in fields.indices {
            let turned = Array(fields[shift...] + fields[..<shift])
            #expect(bytes.isSpelling(of: .map(turned)))
            #expect(bytes.isSpelling(of: .map(turned.reversed())))
            #expect(!bytes.isSpelling(of: .map(Array(turned.dropLast()))))
            // A field twice is no other's spelling, and no crash either.
            #expect(!bytes.isSpelling(of: .map(turned.dropLast() + [turned[0]])))
        }
    }
}
