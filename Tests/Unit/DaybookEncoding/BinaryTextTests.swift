import DaybookEncoding
import Foundation
import Testing
import TestSupport

struct Base58Tests {
    /// Bitcoin Core, src/test/data/base58_encode_decode.json.
    private let vectors = [
        ("", ""), ("61", "2g"), ("626262", "a3gV"), ("636363", "aPEr"),
        ("73696d706c792061206c6f6e6720737472696e67", "2cFupjhnEsSn59qHXstmK2ffpLv2"),
        (
            "00eb15231dfceb60925886b67d065299925915aeb172c06647",
            "1NS17iag9jJgTHD1VXjvLCEnZuQ3rJDE9L"
        ),
        ("516b6fcd0f", "ABnLTmg"), ("bf4f89001e670274dd", "3SEo3LWLoPntC"),
        ("572e4794", "3EFU7m"), ("ecac89cad93923c02321", "EJDM8drfXA6uyA"),
        ("10c8511e", "Rt5zm"), ("00000000000000000000", "1111111111"),
    ]

    @Test func `Bitcoin's vectors are spelled and read alike`() throws {
        for (hex, text) in vectors {
            let bytes = try #require(Hex.decode(hex))
            #expect(Base58.encode(bytes) == text)
            #expect(Base58.decode(text) == bytes)
        }
    }

    @Test(arguments: ["0", "O", "I", "l", " 2g", "2g\n", "a-b", "é"])
    func `other characters are refused`(text: String) {
        #expect(Base58.decode(text) == nil)
    }

    @Test func `a text beyond the maximum is refused`() {
        #expect(Base58.decode(String(repeating: "1", count: 128))?.count == 128)
        #expect(Base58.decode(String(repeating: "1", count: 129)) == nil)
        #expect(Base58.decode("2g2", maximumLength: 2) == nil)
    }

    @Test func `every value of each length up to two bytes comes back`() {
        for value in 0...UInt16.max {
            let bytes = [UInt8(value >> 8), UInt8(value & 0xff)]
            #expect(Base58.decode(Base58.encode(bytes)) == bytes)
        }
    }
}

struct Base64Tests {
    @Test func `the vectors of RFC 4648 are spelled and read alike`() {
        let vectors = [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ]
        for (plain, text) in vectors {
            #expect(Base64.encode(Bytes(plain.utf8)) == text)
            #expect(Base64.decode(text) == Bytes(plain.utf8))
        }
    }

    @Test func `random bytes are spelled as Foundation spells them`() {
        var generator = Seeded(64)
        for count in 0..<100 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let text = Base64.encode(bytes)
            #expect(text == Data(bytes).base64EncodedString())
            #expect(Base64.decode(text.utf8) == bytes)
        }
    }

    @Test(arguments: [
        "Z", "Zg", "Zg=", "Zg===", "Zm8", "Zm9v=", "Zm9v====", "====", "=", "Z===", "Zh==", "Zm9=",
        "Zg==Zg==", "Zm 9v", "Zm9v\n", "\nZm9v", "Zm-_", "Z=g=", "Zm9vé",
    ])
    func `every other spelling is refused`(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}

struct HexTests {
    @Test func `bytes become pairs of lower-case digits and come back`() {
        let bytes = Bytes(0...255)
        let text = Hex.encode(bytes)
        #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff"))
        #expect(Hex.decode(text) == bytes)
        #expect(Hex.decode(text.uppercased()) == bytes)
        #expect(Hex.encode(bytes[10..<12]) == "0a0b")
        #expect(Hex.decode("") == [])
    }

    @Test(arguments: ["0", "abc", "0g", "0x00", " 00", "00\n", "é", "00 11", "+1", "٠٠"])
    func `anything but whole pairs of digits is refused`(text: String) {
        #expect(Hex.decode(text) == nil)
    }
}
