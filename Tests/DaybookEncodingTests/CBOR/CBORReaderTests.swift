import DaybookEncoding
import Testing

struct CBORReaderTests {
    @Test func `a record is read item by item without building it`() throws {
        let bytes = CBOR.envelope([
            0: .unsigned(7), 1: .int(-3), 2: .bytes([1, 2]), 3: .text("x"),
            4: .array([.bool(true), .null]), 5: .record(["skipped": .array([.int(1)])]), 6: .null,
        ]).encoded()
        var reader = CBORReader(bytes)
        #expect(try reader.mapCount() == 7)
        #expect(try reader.unsigned() == 0)
        #expect(try reader.unsigned() == 7)
        #expect(try reader.unsigned() == 1)
        #expect(try reader.int() == -3)
        #expect(try reader.unsigned() == 2)
        #expect(try reader.byteString() == [1, 2])
        #expect(try reader.unsigned() == 3)
        #expect(try reader.text() == "x")
        #expect(try reader.unsigned() == 4)
        #expect(try reader.arrayCount() == 2)
        #expect(try reader.bool())
        #expect(reader.null() == true)
        #expect(try reader.unsigned() == 5)
        #expect(try reader.skip().count == 11)
        #expect(try reader.unsigned() == 6)
        #expect(!reader.isAtEnd)
        #expect(try reader.value() == .null)
        #expect(reader.isAtEnd)
        try reader.finish()
    }

    @Test func `another type than the one asked for is refused where it begins`() {
        let bytes = CBOR.array([.text("a"), .unsigned(.max)]).encoded()
        var reader = CBORReader(bytes)
        expectOtherType(at: 0) { () throws(CBORError) in _ = try reader.mapCount() }
        reader = CBORReader(bytes)
        _ = try? reader.arrayCount()
        #expect(reader.null() == false)
        expectOtherType(at: 1) { () throws(CBORError) in _ = try reader.unsigned() }
        reader = CBORReader(CBOR.unsigned(.max).encoded())
        expectOtherType(at: 0) { () throws(CBORError) in _ = try reader.int() }
        reader = CBORReader([0xf6])
        expectOtherType(at: 0) { () throws(CBORError) in _ = try reader.bool() }
    }

    @Test func `what is left at the end is refused`() {
        let reader = CBORReader([0x00])
        #expect(throws: CBORError(offset: 0, reason: .trailingBytes)) { try reader.finish() }
    }

    private func expectOtherType(at offset: Int, _ read: () throws(CBORError) -> Void) {
        #expect(throws: CBORError(offset: offset, reason: .otherType)) { try read() }
    }
}
