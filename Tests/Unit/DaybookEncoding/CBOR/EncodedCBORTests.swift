import DaybookEncoding
import Testing

struct EncodedCBORTests {
    private let value = CBOR.record([
        "number": .unsigned(.max), "below": .int(-3), "bytes": .bytes([1, 2]), "text": .text("é"),
        "list": .array([.bool(true), .null, .array([.text("deep")])]),
        "map": .map([
            .init(key: .unsigned(0), value: .text("zero")),
            .init(key: .text("inner"), value: .record(["number": .unsigned(7)])),
        ]),
        "yes": .bool(true), "none": .null,
    ])

    @Test func `a map's values are read where they lie`() throws {
        let map = try EncodedCBOR(value.encoded())
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
        #expect(map["text"]?["text"] == nil)
    }

    @Test func `values in arrays and maps of a map are read alike`() throws {
        let map = EncodedCBOR(value)
        let list = try #require(map["list"]?.arrayValue)
        #expect(list.count == 3)
        #expect(list[0].boolValue == true)
        #expect(list[2].arrayValue?.first?.textValue == "deep")
        let inner = try #require(map["map"])
        #expect(inner["number"] == nil)
        #expect(inner["inner"]?["number"]?.uintValue == 7)
    }

    @Test func `a part of a value has the bytes that it would have alone`() throws {
        let whole = EncodedCBOR(value)
        #expect(whole.bytes == value.encoded())
        #expect(whole.value == value)
        let part = try #require(whole["map"])
        #expect(part.bytes == value["map"]?.encoded())
        #expect(part.value == value["map"])
    }

    @Test func `a map of many entries is read like one of few`() throws {
        let numbers = (0..<40).map { CBOR.Entry(key: .unsigned(3 * $0), value: .unsigned($0)) }
        let names = (0..<40).map {
            CBOR.Entry(key: .text("a name, its number \($0)"), value: .unsigned($0))
        }
        let map = EncodedCBOR(.map(numbers + names))
        for index in 0..<UInt64(40) {
            #expect(map["a name, its number \(index)"]?.uintValue == index)
        }
        #expect(map["a name, its number 40"] == nil)
    }

    @Test func `a part says where it lies in the whole`() throws {
        let whole = EncodedCBOR(value)
        let map = whole
        #expect(whole.path(from: whole.start) == "")
        #expect(map["text"]?.path(from: whole.start) == ".text")
        let list = try #require(map["list"]?.arrayValue)
        #expect(list[2].path(from: whole.start) == ".list[2]")
        #expect(list[2].arrayValue?.first?.path(from: whole.start) == ".list[2][0]")
        #expect(list[2].arrayValue?.first?.path(from: list[2].start) == "[0]")
    }
}
