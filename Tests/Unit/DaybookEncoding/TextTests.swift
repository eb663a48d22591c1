import DaybookEncoding
import Testing

struct TextTests {
    @Test func `percent escapes are decoded once`() {
        #expect(decoded("a%26amount%3D9") == "a&amount=9")
        #expect(decoded("%2541") == "%41")
        #expect(decoded("my+app%20%c3%a9%C3%A9") == "my+app éé")
        #expect(decoded("") == "")
        #expect(Text.percentDecode("%00%ff".utf8) == [0, 0xff])
    }

    @Test func `the distance of two words counts a swap of neighbours as one`() {
        #expect(Text.distance("abcd", "abdc") == 1)
        #expect(Text.distance("", "abc") == 3)
        #expect(Text.distance("kitten", "sitting") == 3)
        #expect(Text.distance("same", "same") == 0)
    }

    @Test(arguments: ["%", "%4", "a%4", "%g1", "%1g", "%%41", "% 41", "%-1", "%u0041"])
    func `a bad percent escape is refused`(text: String) {
        #expect(Text.percentDecode(text.utf8) == nil)
    }

    @Test func `only UTF-8 is text`() {
        let invalid: [Bytes] = [
            [0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80],
            [0x61, 0x80],
        ]
        for bytes in invalid {
            #expect(Text.utf8String(bytes) == nil)
            let isText = Text.isUTF8(bytes.span)
            #expect(!isText)
        }
        #expect(Text.utf8String(Bytes("aé水𐅑\u{0}".utf8)) == "aé水𐅑\u{0}")
        let isText = Text.isUTF8(Bytes().span)
        #expect(isText)
    }

    @Test func `texts that look alike are not the same`() {
        #expect(!Text.equal("\u{e9}", "e\u{301}"))
        #expect(Text.equal("é", "é"))
        #expect(Text.precedes("e\u{301}", "\u{e9}"))
        #expect(!Text.precedes("\u{e9}", "e\u{301}"))
    }

    private func decoded(_ text: String) -> String? {
        Text.percentDecode(text.utf8).flatMap(Text.utf8String)
    }
}
