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

    @Test func `a map of many entries is read like one of few`() throws {
        let numbers = (0..<40).map { CBOR.Entry(key: .unsigned(3 * $0), value: .unsigned($0)) }
        let names = (0..<40).map {
            CBOR.Entry(key: .text("a name, its number \($0)"), value: .unsigned($0))
        }
        let map = try #require(EncodedMap(EncodedCBOR(.map(names + numbers))))
        for index in 0..<UInt64(40) {
            #expect(map[3 * index]?.uintValue == index)
            #expect(map[3 * index + 1] == nil)
            #expect(map["a name, its number \(index)"]?.uintValue == index)
        }
        #expect(map["a name, its number 40"] == nil)
        #expect(!map.hasOnlyKeys(through: .max))
        let few = try #require(EncodedMap(EncodedCBOR(.map(numbers))))
        #expect(few.hasOnlyKeys(through: 117))
        #expect(!few.hasOnlyKeys(through: 116))
    }

    @Test func `a part says where it lies in the whole`() throws {
        let whole = EncodedCBOR(value)
        let map = try #require(EncodedMap(whole))
        #expect(whole.path(from: whole.start) == "")
        #expect(map["text"]?.path(from: whole.start) == ".text")
        let list = try #require(map["list"]?.arrayValue)
        #expect(list[2].path(from: whole.start) == ".list[2]")
        #expect(list[2].arrayValue?.first?.path(from: whole.start) == ".list[2][0]")
        #expect(list[2].arrayValue?.first?.path(from: list[2].start) == "[0]")
    }

    @Test func `fields with numbers are taken in their order`() {
        let map = EncodedCBOR(.envelope([1: .text("one"), 3: .null, 4: .map([])]))
        guard var fields = EncodedEnvelope(map) else {
            Issue.record("a map is one")
            return
        }
        let asked: [UInt64] = [0, 1, 1, 4, 3, 4, 5]
        var found: [Bool] = []
        for number in asked {
            let isFound = fields.take(number) != nil
            found.append(isFound)
        }
        #expect(found == [false, true, false, false, true, true, false])
        let isAtEnd = fields.isAtEnd
        #expect(isAtEnd)
    }
}
