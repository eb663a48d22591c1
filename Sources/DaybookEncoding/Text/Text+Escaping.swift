extension Text {
    /// The text with everything spelled out that could not be seen, or could mislead the eye.
    ///
    /// Controls, marks of direction, characters without width, unusual spaces, line separators
    /// and private ones become `\u{XXXX}`, a backslash becomes two. Letters of any script stay.
    package static func escaped(_ text: String) -> String {
        spelledOut(text, backslashes: true)
    }

    /// The text as `escaped` has it but for the backslashes, which stay.
    ///
    /// For a sentence of which some parts may be escaped already.
    package static func onOneLine(_ text: String) -> String {
        spelledOut(text, backslashes: false)
    }

    private static func spelledOut(_ text: String, backslashes: Bool) -> String {
        // Nearly every text is printable ASCII, and stays what it is.
        let isPlain = text.utf8.allSatisfy {
            (0x20...0x7e).contains($0) && ($0 != UInt8(ascii: "\\") || !backslashes)
        }
        if isPlain { return text }
        var output = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "\\", backslashes {
                output.append(contentsOf: #"\\"#.unicodeScalars)
            } else if isHidden(scalar) {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                let zeros = String(repeating: "0", count: max(0, 4 - digits.utf8.count))
                output.append(contentsOf: #"\u{\#(zeros)\#(digits)}"#.unicodeScalars)
            } else {
                output.append(scalar)
            }
        }
        return String(output)
    }

    /// Whether a scalar can't be seen, or changes how its surroundings are.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        let scalar = scalar.value
        // The last two code points of each plane stand for no character.
        if scalar & 0xfffe == 0xfffe { return true }
        return hidden.contains { $0.contains(scalar) }
    }

    /// What can't be seen, or changes how its surroundings are.
    ///
    /// Unicode 16's categories Cc, Cf, Co, Zl, Zp, Zs without the space, what it says to ignore by
    /// default, the noncharacters and the empty braille pattern. They are written out, because a
    /// prompt's digest must not change with the Unicode tables of the Swift that built Daybook.
    private static let hidden: [ClosedRange<UInt32>] = [
        0x0000...0x001f, 0x007f...0x00a0, 0x00ad...0x00ad, 0x034f...0x034f, 0x0600...0x0605,
        0x061c...0x061c, 0x06dd...0x06dd, 0x070f...0x070f, 0x0890...0x0891, 0x08e2...0x08e2,
        0x115f...0x1160, 0x1680...0x1680, 0x17b4...0x17b5, 0x180b...0x180f, 0x2000...0x200f,
        0x2028...0x202f, 0x205f...0x206f, 0x2800...0x2800, 0x3000...0x3000, 0x3164...0x3164,
        0xe000...0xf8ff, 0xfdd0...0xfdef, 0xfe00...0xfe0f, 0xfeff...0xfeff, 0xffa0...0xffa0,
        0xfff0...0xfffb, 0x110bd...0x110bd, 0x110cd...0x110cd, 0x13430...0x1343f,
        0x1bca0...0x1bca3, 0x1d173...0x1d17a, 0xe0000...0xe0fff, 0xf0000...0x10ffff,
    ]
}
