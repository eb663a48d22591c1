import DaybookEncoding

/// Text of others, made fit for one field of a file that people or their programs read.
enum GuardedText {
    /// A cell of CSV (RFC 4180), between quotes where anything in it could end it.
    ///
    /// A spreadsheet takes a cell that begins with one of `= + - @`, some also in full width, for a
    /// formula and runs it: such a text gets an apostrophe in front. Controls are spelled out.
    static func cell(_ text: String) -> String {
        let line = Text.escaped(text)
        let isFormula = line.unicodeScalars.first.map(formulaBeginnings.contains) ?? false
        let guarded = isFormula ? "'" + line : line
        guard guarded.utf8.contains(where: { ",\"".utf8.contains($0) }) else {
            return guarded
        }
        return "\"" + guarded.replacing("\"", with: "\"\"") + "\""
    }

    private static let formulaBeginnings: [Unicode.Scalar] = [
        "=", "+", "-", "@", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}",
    ]

    /// The value of a tag in a comment of a journal: what could end it is percent-encoded.
    static func tag(_ text: String) -> String {
        var output = Bytes()
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: "+"):
                output.append(byte)
            default: output += Bytes("%\(Hex.encode([byte]))".utf8)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
