import DaybookEncoding
import Testing
import TestSupport

struct CBORTests {
    @Test func `every example of the RFC is read and written alike, or refused at its place`()
        throws
    {
        let rows = try Fixture.rows("cbor/rfc8949-appendix-a.txt")
        #expect(rows.count == 81)
        for row in rows {
            let bytes = try #require(Hex.decode(row[0]))
            guard row[2] == "same" else {
                #expect(refusal(of: bytes) == row[2], "\(row[0])")
                continue
            }
            let value = try CBOR.decode(bytes)
            #expect(diagnostic(value) == row[1])
            #expect(Hex.encode(value.encoded()) == row[0])
        }
    }

    @Test func `every other spelling is refused with its offset and reason`() throws {
        let rows = try Fixture.rows("cbor/refused.txt")
        #expect(rows.count > 100)
        for row in rows {
            let bytes = try #require(Hex.decode(row[0]))
            #expect(refusal(of: bytes) == "\(row[1]) \(row[2])", "\(row[0])")
        }
    }

    @Test func `a read item is written back as the same bytes`() throws {
        var generator = Seeded(1)
        var accepted = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 1...12, using: &generator)
            let bytes = (0..<count).map { _ in initialBytes.randomElement(using: &generator)! }
            guard let value = try? CBOR.decode(bytes) else { continue }
            accepted += 1
            #expect(value.encoded() == bytes)
        }
        #expect(accepted > 500)
    }

    @Test func `every cut of a record is refused as truncated`() throws {
        let bytes = record.encoded()
        for count in 0..<bytes.count {
            let error = #expect(throws: CBORError.self) {
                try CBOR.decode(Bytes(bytes[..<count]))
            }
            #expect(error?.reason == .truncated)
        }
    }

    @Test func `sixteen levels are written and read`() throws {
        var value = CBOR.array([])
        for _ in 1..<16 { value = .array([value]) }
        #expect(try CBOR.decode(value.encoded()) == value)
    }

    @Test func `writing the seventeenth level is a bug`() async {
        await #expect(processExitsWith: .failure) {
            var value = CBOR.array([])
            for _ in 1..<17 { value = .array([value]) }
            _ = value.encoded()
        }
    }

    @Test func `writing a key twice is a bug`() async {
        await #expect(processExitsWith: .failure) {
            _ = CBOR.record(["a": .null, "a": .null]).encoded()
        }
    }

    @Test func `keys are sorted by the bytes of their encodings`() throws {
        // The order that RFC 8949, section 4.2.1, gives as its example.
        let keys: [(CBOR, String)] = [
            (.unsigned(10), "0a"), (.unsigned(100), "1864"), (.negative(0), "20"),
            (.text("z"), "617a"), (.text("aa"), "626161"), (.array([.unsigned(100)]), "811864"),
            (.array([.negative(0)]), "8120"), (.bool(false), "f4"),
        ]
        let entries = keys.reversed().map { CBOR.Entry(key: $0.0, value: .null) }
        let expected = "a8" + keys.map { $0.1 + "f6" }.joined()
        #expect(Hex.encode(CBOR.map(entries).encoded()) == expected)
    }

    @Test func `texts are compared by their bytes, not by what they look like`() throws {
        let composed = "\u{e9}"
        let decomposed = "e\u{301}"
        #expect(composed == decomposed)
        #expect(CBOR.text(composed) != CBOR.text(decomposed))
        let both = CBOR.record([decomposed: .int(2), composed: .int(1)])
        #expect(Hex.encode(both.encoded()) == "a262c3a9016365cc8102")
        #expect(try CBOR.decode(both.encoded()) == both)
        #expect(both[composed] == .int(1))
        #expect(both[decomposed] == .int(2))
    }

    @Test func `a record drops what is nil and keeps what is null`() {
        let label: String? = nil
        let value = CBOR.record([
            "label": label.map(CBOR.text), "note": .null, "amount": .int(-5),
        ])
        #expect(diagnostic(value) == #"{"note": null, "amount": -5}"#)
        #expect(value["label"] == nil)
        #expect(value["note"]?.isNull == true)
        #expect(value["amount"]?.intValue == -5)
    }

    @Test func `integers at the borders keep their value`() throws {
        for number in [Int64.min, -1, 0, 1, Int64.max] {
            #expect(try CBOR.decode(CBOR.int(number).encoded()).intValue == number)
        }
        #expect(CBOR.unsigned(.max).intValue == nil)
        #expect(CBOR.unsigned(.max).uintValue == .max)
        #expect(CBOR.negative(.max).intValue == nil)
        #expect(CBOR.int(-1).uintValue == nil)
    }

    @Test func `maps are equal in whatever order they were built`() {
        #expect(CBOR.record(["a": .null, "b": .null]) == .record(["b": .null, "a": .null]))
        #expect(CBOR.record(["a": .null, "b": .null]) != .record(["a": .null]))
        #expect(CBOR.bytes([0x61]) != .text("a"))
    }

    @Test func `an error says the place and the reason`() {
        let error = #expect(throws: CBORError.self) { try CBOR.decode([0x82, 0x00, 0x18, 0x01]) }
        let expected = "cbor at byte 2: an integer or a length is not in its shortest form"
        #expect(error?.description == expected)
    }

    private let record = CBOR.record([
        "amount": .int(150_000_000), "address": .text("XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"),
        "digest": .bytes(Bytes(0..<32)), "nested": .array([.null, .bool(true), .int(-70_000)]),
    ])

    /// First bytes of small items, so that random bytes are often a value.
    private let initialBytes: Bytes = [
        0x00, 0x01, 0x17, 0x18, 0x19, 0x20, 0x40, 0x41, 0x60, 0x61, 0x62, 0x80, 0x81, 0x82, 0xa0,
        0xa1, 0xa2, 0xc3, 0xa9, 0xf4, 0xf5, 0xf6, 0xff,
    ]

    private func refusal(of bytes: Bytes) -> String {
        do {
            return "read as \(diagnostic(try CBOR.decode(bytes)))"
        } catch {
            return "\(error.offset) \(error.reason)"
        }
    }
}

/// The diagnostic notation of RFC 8949, section 8, for what the log has of CBOR.
private func diagnostic(_ value: CBOR) -> String {
    switch value {
    case .unsigned(let number): return "\(number)"
    case .negative(let number):
        return number == .max ? "-18446744073709551616" : "-\(number + 1)"
    case .bytes(let bytes): return "h'\(Hex.encode(bytes))'"
    case .text(let text):
        let escaped = text.map { "\"\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
        return "\"\(escaped)\""
    case .array(let values): return "[" + values.map(diagnostic).joined(separator: ", ") + "]"
    case .map(let entries):
        let pairs = entries.map { "\(diagnostic($0.key)): \(diagnostic($0.value))" }
        return "{" + pairs.joined(separator: ", ") + "}"
    case .bool(let truth): return "\(truth)"
    case .null: return "null"
    }
}

extension CBOR {
    /// A map with integer keys, as an event's envelope is.
    static func envelope(_ fields: KeyValuePairs<UInt64, CBOR>) -> CBOR {
        .map(fields.map { Entry(key: .unsigned($0), value: $1) })
    }
}
