import DaybookEncoding
import Foundation
import Testing
import TestSupport

struct JSONTests {
    @Test func `the test suite's texts are read or refused as they should be`() throws {
        let rows = try Fixture.rows("json/JSONTestSuite.txt")
        #expect(rows.count > 300)
        for row in rows {
            let bytes = try #require(Hex.decode(row[2]))
            let value = try? JSON.parse(bytes)
            #expect((value == nil ? "refused" : "read") == row[1], "\(row[0])")
            guard let value else { continue }
            #expect(try JSON.parse(Bytes(value.text().utf8)) == value, "\(row[0])")
            #expect(try JSON.parse(Bytes(value.text(pretty: true).utf8)) == value, "\(row[0])")
        }
    }

    @Test(arguments: [
        ("", 0, "truncated"), ("  ", 2, "truncated"), ("[1,", 3, "truncated"),
        ("{\"a\":1", 6, "truncated"), ("\"abc", 4, "truncated"), ("tru", 3, "truncated"),
        ("[1,]", 3, "unexpectedCharacter"), ("{a:1}", 1, "unexpectedCharacter"),
        ("nul1", 3, "unexpectedCharacter"), ("[1 2]", 3, "unexpectedCharacter"),
        ("\u{feff}1", 0, "unexpectedCharacter"), ("'a'", 0, "unexpectedCharacter"),
        ("01", 0, "malformedNumber"), ("[-]", 1, "malformedNumber"), ("1.", 0, "malformedNumber"),
        ("1e+", 0, "malformedNumber"), ("-01", 0, "malformedNumber"),
        ("\"\\x\"", 1, "malformedEscape"), ("\"\\u12g4\"", 1, "malformedEscape"),
        ("\"a\nb\"", 2, "controlCharacter"), ("\"\\ud800\"", 1, "loneSurrogate"),
        ("\"\\udc00\"", 1, "loneSurrogate"), ("\"\\ud800\\u0041\"", 1, "loneSurrogate"),
        ("{\"a\":1,\"\\u0061\":2}", 7, "duplicateName"), ("1 1", 2, "trailingCharacters"),
        ("{}x", 2, "trailingCharacters"),
    ])
    func `a refusal says the place and the reason`(text: String, offset: Int, reason: String) {
        let error = #expect(throws: JSONError.self) { try JSON.parse(Bytes(text.utf8)) }
        #expect(error?.offset == offset)
        #expect(error.map { "\($0.reason)" } == reason)
    }

    @Test func `an error reads as a sentence`() {
        let error = #expect(throws: JSONError.self) { try JSON.parse(Bytes("[01]".utf8)) }
        #expect(error?.description == "json at byte 1: a number that is not spelled as json has it")
    }

    @Test func `bytes that are not UTF-8 are refused where the string begins`() {
        for bytes: Bytes in [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80]] {
            let text = Bytes("[\"".utf8) + bytes + Bytes("\"]".utf8)
            #expect(throws: JSONError(offset: 1, reason: .invalidUTF8)) { try JSON.parse(text) }
        }
    }

    @Test func `levels up to the maximum are read`() throws {
        let deep = String(repeating: "[", count: 32) + String(repeating: "]", count: 32)
        _ = try JSON.parse(Bytes(deep.utf8))
        #expect(throws: JSONError(offset: 32, reason: .tooDeep)) {
            try JSON.parse(Bytes("[\(deep)]".utf8))
        }
        #expect(throws: JSONError(offset: 0, reason: .tooDeep)) {
            try JSON.parse(Bytes("{}".utf8), maximumDepth: 0)
        }
        _ = try JSON.parse(Bytes("1".utf8), maximumDepth: 0)
    }

    @Test func `members of other names are left out where some are named, at every level`() throws {
        let text = #"{"a":[{"b":1,"c":[{"a":0}]},{"c":{"b":2}}],"d":{"a":1},"b":{"d":5,"a":{}}}"#
        let value = try JSON.parse(Bytes(text.utf8), keeping: ["a", "b"])
        #expect(value.text() == #"{"a":[{"b":1},{}],"b":{"a":{}}}"#)
        for wrong in [#"{"d":01}"#, #"{"d":1,"a":}"#, #"{"d":"\x"}"#, #"{"d":1"#] {
            #expect(throws: JSONError.self) {
                try JSON.parse(Bytes(wrong.utf8), keeping: ["a"])
            }
        }
        #expect(throws: JSONError(offset: 7, reason: .duplicateName)) {
            try JSON.parse(Bytes(#"{"a":1,"a":2}"#.utf8), keeping: ["a"])
        }
    }

    @Test func `names that look alike are two, and are told apart`() throws {
        let value = try JSON.parse(Bytes("{\"\u{e9}\":1,\"e\u{301}\":2}".utf8))
        #expect(value["\u{e9}"]?.intValue == 1)
        #expect(value["e\u{301}"]?.intValue == 2)
        #expect(JSON.string("\u{e9}") != .string("e\u{301}"))
    }

    @Test func `order and literals are kept`() throws {
        let text = #"{"z":1.50,"a":[1e3,-0,{}],"m":"é\/"}"#
        let value = try JSON.parse(Bytes(text.utf8))
        #expect(value.text() == #"{"z":1.50,"a":[1e3,-0,{}],"m":"é/"}"#)
        #expect(value["a"]?.arrayValue?.count == 3)
        #expect(value["z"]?.numberLiteral == "1.50")
        #expect(value["z"]?.intValue == nil)
        #expect(value["none"] == nil)
    }

    @Test(arguments: [
        ("0", 0), ("-7", -7), ("9223372036854775807", Int64.max), ("-9223372036854775808", .min),
        ("9223372036854775808", nil), ("1.0", nil), ("1e3", nil), ("1E0", nil), ("\"1\"", nil),
    ] as [(String, Int64?)])
    func `only an integer's literal is an integer`(text: String, expected: Int64?) throws {
        #expect(try JSON.parse(Bytes(text.utf8)).intValue == expected)
    }

    @Test func `every character of a string is written so that it can be read`() throws {
        var scalars = String.UnicodeScalarView()
        for value in UInt32(0)..<0x3000 { scalars.append(Unicode.Scalar(value)!) }
        scalars.append("𐅑")
        let value = JSON.string(String(scalars))
        #expect(try JSON.parse(Bytes(value.text().utf8)) == value)
        #expect(JSON.string("\u{0}\u{1f}\u{8}\u{c}\n\r\t\"\\/\u{7f}").text()
            == #""\u0000\u001f\b\f\n\r\t\"\\/\#u{7f}""#)
        let foundation = try JSONSerialization.jsonObject(
            with: Data(value.text().utf8), options: .fragmentsAllowed)
        #expect((foundation as? String).map { Bytes($0.utf8) } == Bytes(String(scalars).utf8))
    }

    @Test func `a surrogate pair is one character`() throws {
        #expect(try JSON.parse(Bytes(#""\ud83e\ude99\u00e9""#.utf8)) == .string("🪙é"))
    }

    @Test func `a record drops what is nil, and pretty text is indented`() {
        let value = JSON.record([
            "amount": .string("1.5"), "label": nil, "list": .array([.int(1), .null, .array([])]),
            "empty": .object([]), "ok": .bool(true),
        ])
        #expect(
            value.text()
                == #"{"amount":"1.5","list":[1,null,[]],"empty":{},"ok":true}"#)
        #expect(
            value.text(pretty: true) == """
                {
                  "amount": "1.5",
                  "list": [
                    1,
                    null,
                    []
                  ],
                  "empty": {},
                  "ok": true
                }
                """)
    }

    @Test func `a thousand names of an object are told apart quickly`() throws {
        let members = (0..<10_000).map { "\"\($0)\":0" }.joined(separator: ",")
        #expect(try JSON.parse(Bytes("{\(members)}".utf8)).objectValue?.count == 10_000)
    }
}
