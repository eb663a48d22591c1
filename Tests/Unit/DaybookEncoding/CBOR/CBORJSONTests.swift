import DaybookEncoding
import Testing

struct CBORJSONTests {
    /// Values that would share their JSON with other values if they were not marked.
    private static let values: [(CBOR, String)] = [
        (.unsigned(.max), "18446744073709551615"),
        (.negative(0), "-1"),
        (.negative(.max), "-18446744073709551616"),
        (.bytes([0xab, 0]), #"{"$hex":"ab00"}"#),
        (.bytes([]), #"{"$hex":""}"#),
        (.text("ab00"), #""ab00""#),
        (.record(["a": .null, "b": .bool(true)]), #"{"a":null,"b":true}"#),
        (.record(["$hex": .text("ab")]), #"{"$map":[["$hex","ab"]]}"#),
        (.record(["$map": .array([])]), #"{"$map":[["$map",[]]]}"#),
        (.record([:]), "{}"),
        (.envelope([1: .text("x")]), #"{"$map":[[1,"x"]]}"#),
        (.record(["1": .text("x")]), #"{"1":"x"}"#),
        (.map([.init(key: .bytes([1]), value: .record([:]))]), #"{"$map":[[{"$hex":"01"},{}]]}"#),
    ]

    @Test func `every value has its own json, from which it can be had again`() throws {
        for (value, text) in Self.values {
            #expect(value.json.text() == text)
            #expect(try CBOR.from(try JSON.parse(Bytes(text.utf8))) == value)
        }
    }

    @Test(arguments: [
        ("1.5", CBORJSONError.otherNumber), ("1e3", .otherNumber), ("-0", .otherNumber),
        ("18446744073709551616", .otherNumber), ("-18446744073709551617", .otherNumber),
        (#"{"$hex":"AB"}"#, .otherMark), (#"{"$hex":"a"}"#, .otherMark),
        (#"{"$hex":1}"#, .otherMark), (#"{"$hex":"","a":1}"#, .otherMark),
        (#"{"$bytes":""}"#, .otherMark), (#"{"$map":{}}"#, .otherMark),
        (#"{"$map":[]}"#, .otherMark), (#"{"$map":[["a",1]]}"#, .otherMark),
        (#"{"$map":[[1]]}"#, .otherMark), (#"{"$map":[[1,1],[1,2]]}"#, .duplicateKey),
    ])
    func `json that no value is spelled as is refused`(text: String, error: CBORJSONError) throws {
        let json = try JSON.parse(Bytes(text.utf8))
        #expect(throws: error) { _ = try CBOR.from(json) }
    }

    @Test func `json may lie as deep as a value may, and no deeper`() throws {
        func nested(_ depth: Int) throws -> JSON {
            let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            return try JSON.parse(Bytes(text.utf8), maximumDepth: 64)
        }
        #expect(try CBOR.decode(CBOR.from(try nested(16)).encoded()) == CBOR.from(try nested(16)))
        #expect(throws: CBORJSONError.tooDeep) { _ = try CBOR.from(try nested(17)) }
        #expect(throws: CBORJSONError.tooDeep) { _ = try CBOR.from(try nested(16), depth: 1) }
    }
}
