import DaybookEncoding

/// The text of a link as a search looks through it: with what is encoded in it decoded.
enum SearchedText {
    /// A text with its escapes decoded once, and then each JSON object that it has in base64.
    static func readable(_ text: Bytes) -> Bytes { decodingObjects(in: unescaped(text)) }

    private static func unescaped(_ text: Bytes) -> Bytes {
        let escape = UInt8(ascii: "%")
        guard text.contains(escape) else { return text }
        var plain = Bytes()
        plain.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            let digits = text[(index + 1)...].prefix(2)
            if text[index] == escape, digits.count == 2,
                let byte = Hex.decode(digits)?.first
            {
                plain.append(byte)
                index += 3
            } else {
                plain.append(text[index])
                index += 1
            }
        }
        return plain
    }

    private static func decodingObjects(in text: Bytes) -> Bytes {
        var readable = Bytes()
        var rest = text[...]
        while let start = firstObject(in: rest) {
            let digits = rest[start...].prefix(while: isDigit)
            readable += rest[..<start]
            readable += object(digits) ?? Bytes(digits)
            rest = rest[digits.endIndex...]
        }
        return readable.isEmpty ? text : readable + rest
    }

    /// Where base64 may spell a JSON object: `{"` is spelled `ey`.
    private static func firstObject(in text: ArraySlice<UInt8>) -> Int? {
        var before: UInt8?
        for index in text.indices.dropLast() {
            if text[index] == UInt8(ascii: "e"), text[index + 1] == UInt8(ascii: "y"),
                before.map({ !isDigit($0) }) ?? true
            {
                return index
            }
            before = text[index]
        }
        return nil
    }

    /// The text of a JSON object that base64 spells; nil for anything else.
    private static func object(_ digits: ArraySlice<UInt8>) -> Bytes? {
        guard digits.count >= 24,
            let bytes = Base64.decodeLeniently(digits), Text.utf8String(bytes) != nil
        else { return nil }
        return bytes
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
