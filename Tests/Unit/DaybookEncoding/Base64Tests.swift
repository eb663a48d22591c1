import DaybookEncoding
import Foundation
import Testing
import TestSupport

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
