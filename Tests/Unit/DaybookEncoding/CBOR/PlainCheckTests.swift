import TestSupport
import Testing

@testable import DaybookEncoding

/// The quick check accepts most values, and none that the slower one refuses.
struct PlainCheckTests {
    private static let plain: [CBOR] = [
        .unsigned(0), .unsigned(24), .unsigned(.max), .int(-1), .int(.min), .bytes([]),
        .bytes(Bytes(repeating: 0xff, count: 300)), .text(""), .text("a"), .text("abcdefg"),
        .text("abcdefgh"), .text(String(repeating: "x", count: 70_000)), .text("é"),
        .text("a wallet’s label"), .record(["é": .text("ü")]), .bool(true),
        .bool(false), .null, .array([]), .array([.null, .array([.map([])])]), .map([]),
        .record(["a": .null, "b": .unsigned(1), "aa": .record(["x": .text("y")]), "ab": .null]),
        .envelope([0: .null, 23: .text("z"), 24: .null, 1_000: .array([.int(-70_000)])]),
        nested(16),
    ]

    /// So many arrays and maps, one in the other.
    private static func nested(_ depth: Int) -> CBOR {
        (0..<depth).reduce(CBOR.null) { inner, level in
            level.isMultiple(of: 2) ? .array([inner]) : .record(["a": inner])
        }
    }

    @Test func `most values are plain`() {
        for value in Self.plain {
            let bytes = value.encoded()
            #expect(EncodedCBOR.plainEnd(bytes, at: 0) == bytes.count, "\(value)")
            // Bytes behind a value are no part of it.
            #expect(EncodedCBOR.plainEnd(bytes + [0xff], at: 0) == bytes.count)
            #expect(EncodedCBOR.plainEnd([0xff] + bytes, at: 1) == bytes.count + 1)
        }
    }

    @Test func `keys that are arrays are left to the slower check`() {
        let bytes = CBOR.map([.init(key: .array([]), value: .null)]).encoded()
        #expect(EncodedCBOR.plainEnd(bytes, at: 0) == nil)
        #expect(EncodedCBOR.end(checking: bytes, at: 0, depth: 0) == bytes.count)
    }

    @Test func `sixteen levels are the most, those around a value included`() throws {
        let bytes = Self.nested(15).encoded()
        #expect(EncodedCBOR.plainEnd(bytes, at: 0, depth: 1) == bytes.count)
        #expect(EncodedCBOR.plainEnd(bytes, at: 0, depth: 2) == nil)
        #expect(EncodedCBOR.end(checking: bytes, at: 0, depth: 2) == nil)
    }

    @Test func `both checks agree about bytes that were changed`() {
        var random = Seeded(5)
        for value in Self.plain {
            let bytes = value.encoded()
            for _ in 0..<1_000 {
                var changed = bytes
                for _ in 0...random.below(2) {
                    changed[random.below(changed.count)] = UInt8(random.below(256))
                }
                if random.below(4) == 0 { changed.removeLast(random.below(changed.count)) }
                let slow = try? EncodedCBOR.checkedEnd(changed.span, at: 0)
                if let plain = EncodedCBOR.plainEnd(changed, at: 0) {
                    #expect(plain == slow, "\(changed.prefix(64))")
                }
                #expect(EncodedCBOR.end(checking: changed, at: 0, depth: 0) == slow)
            }
        }
    }
}
