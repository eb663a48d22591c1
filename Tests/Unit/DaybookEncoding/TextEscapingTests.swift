import DaybookEncoding
import Testing

struct TextEscapingTests {
    @Test(arguments: [
        ("plain text, 1.5 é 水 العربية עברית ภาษาไทย 🪙 e\u{301}", nil),
        ("a\\b", #"a\\b"#),
        ("a\u{202e}b\u{2066}c\u{200f}", #"a\u{202E}b\u{2066}c\u{200F}"#),
        ("a\nb\r\tc\u{0}\u{7f}\u{85}", #"a\u{000A}b\u{000D}\u{0009}c\u{0000}\u{007F}\u{0085}"#),
        ("\u{feff}a\u{200b}b\u{200d}c\u{2028}", #"\u{FEFF}a\u{200B}b\u{200D}c\u{2028}"#),
        ("\u{e000}\u{f0000}\u{10ffff}\u{e0041}", #"\u{E000}\u{F0000}\u{10FFFF}\u{E0041}"#),
        ("a\u{a0}b\u{3000}c\u{3164}d", #"a\u{00A0}b\u{3000}c\u{3164}d"#),
        (#"\u{202E}"#, #"\\u{202E}"#),
    ] as [(String, String?)])
    func `misleading characters are spelled out, the rest stays`(text: String, expected: String?) {
        #expect(Text.equal(Text.escaped(text), expected ?? text), "\(Text.escaped(text))")
    }

    @Test func `the list agrees with Unicode's properties for every character there is`() {
        for value in UInt32(0)...0x10ffff {
            guard let scalar = Unicode.Scalar(value), scalar != "\\" else { continue }
            let properties = scalar.properties
            // Characters of later versions of Unicode were not known when the list was written.
            if properties.age == nil && !properties.isNoncharacterCodePoint { continue }
            let isHidden = isHidden(properties, scalar)
            let stays = Text.escaped(String(scalar)).unicodeScalars.elementsEqual([scalar])
            if stays == isHidden {
                Issue.record("U+\(String(value, radix: 16)) \(properties.name ?? "")")
            }
        }
    }

    private func isHidden(_ properties: Unicode.Scalar.Properties, _ scalar: Unicode.Scalar) -> Bool
    {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse: true
        case .spaceSeparator: scalar != " "
        default:
            properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint
                || scalar == "\u{2800}"
        }
    }
}
