import DaybookEncoding
import Testing

struct EncodedCBORTests {
    private let value = CBOR.record([
        "number": .unsigned(.max), "below": .int(-3), "bytes": .bytes([1, 2]), "text": .text("é"),
        "list": .array([.bool(true), .null, .array([.text("deep")])]),
        "map": .envelope([0: .text("zero"), 500: .record(["number": .unsigned(7)])]),
        "yes": .bool(true), "none": .null,
    ])

    @Test func `what a map holds is read where it lies`() throws {
        let map = try #require(EncodedMap(try EncodedCBOR(value.encoded())))
        #expect(map["number"]?.uintValue == .max)
        #expect(map["number"]?.intValue == nil)
        #expect(map["below"]?.intValue == -3)
        #expect(map["below"]?.uintValue == nil)
        #expect(map["bytes"]?.bytesValue == [1, 2])
        #expect(map["text"]?.textValue == "é")
        #expect(map["text"]?.bytesValue == nil)
        #expect(map["yes"]?.boolValue == true)
        #expect(map["none"]?.boolValue == nil)
        #expect(map["nothing"] == nil)
        #expect(map["nuMber"] == nil)
        #expect(map[0] == nil)
    }

    @Test func `what lies in arrays and maps of a map is read alike`() throws {
        let map = try #require(EncodedMap(EncodedCBOR(value)))
        let list = try #require(map["list"]?.arrayValue)
        #expect(list.count == 3)
        #expect(list[0].boolValue == true)
        #expect(list[2].arrayValue?.first?.textValue == "deep")
        let inner = try #require(map["map"].flatMap { EncodedMap($0) })
        #expect(inner[0]?.textValue == "zero")
        #expect(inner[500].flatMap { EncodedMap($0) }?["number"]?.uintValue == 7)
        #expect(inner[1] == nil)
        #expect(inner.hasOnlyKeys(through: 500))
        #expect(!inner.hasOnlyKeys(through: 499))
        #expect(!map.hasOnlyKeys(through: .max))
    }

    @Test func `a part of a value has the bytes that it would have alone`() throws {
        let whole = EncodedCBOR(value)
        #expect(whole.bytes == value.encoded())
        #expect(whole.value == value)
        let part = try #require(EncodedMap(whole)?["map"])
        #expect(part.bytes == value["map"]?.encoded())
        #expect(part.value == value["map"])
        #expect(EncodedMap(part.arrayValue?.first ?? whole) != nil)
        #expect(EncodedMap(EncodedCBOR(.array([]))) == nil)
    }
}
