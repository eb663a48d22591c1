/// Text as bytes: what is the same, what is valid, and what may be shown.
package enum Text {
    /// Whether two texts are the same bytes; Swift's `==` also takes "é" in two spellings as one.
    package static func equal(_ left: some StringProtocol, _ right: some StringProtocol) -> Bool {
        left.utf8.elementsEqual(right.utf8)
    }

    /// The same for whole strings, which names of fields are: no generic code in the way.
    package static func equal(_ left: String, _ right: String) -> Bool {
        ByteOrder.areSame(left.utf8, right.utf8)
    }

    /// Whether a text's bytes begin with those of another one.
    package static func begins(_ text: String, with prefix: String) -> Bool {
        ByteOrder.begins(text.utf8, with: prefix.utf8)
    }

    /// Whether `left` comes before `right` by the bytes of their UTF-8.
    package static func precedes(_ left: String, _ right: String) -> Bool {
        ByteOrder.precedes(left.utf8, right.utf8)
    }

    /// Whether bytes are UTF-8, without overlong forms and surrogates.
    package static func isUTF8(_ bytes: Span<UInt8>) -> Bool {
        // Most texts are ASCII, for which this is several times faster.
        ByteSearch.areASCII(bytes) || (try? UTF8Span(validating: bytes)) != nil
    }

    /// The text whose UTF-8 the bytes are; nil when they are not UTF-8.
    package static func utf8String(_ bytes: Bytes) -> String? {
        utf8String(bytes[...])
    }

    /// The same for a part of some bytes.
    package static func utf8String(_ bytes: ArraySlice<UInt8>) -> String? {
        utf8String(bytes.span)
    }

    /// The same for bytes that live elsewhere.
    package static func utf8String(_ bytes: Span<UInt8>) -> String? {
        // Most texts are ASCII, for which this is several times faster.
        if ByteSearch.areASCII(bytes) {
            return unsafe String(copying: UTF8Span(unchecked: bytes, isKnownASCII: true))
        }
        guard let text = try? UTF8Span(validating: bytes) else { return nil }
        return String(copying: text)
    }

    /// A file's text in UTF-8 without a byte order mark; UTF-16 is converted.
    ///
    /// Bytes that are no text of one of these kinds are returned as they are.
    package static func ofFile(_ content: Bytes) -> Bytes {
        if content.starts(with: [0xef, 0xbb, 0xbf]) { return Bytes(content.dropFirst(3)) }
        guard content.count >= 2, content.count.isMultiple(of: 2) else { return content }
        // A text in ASCII has a zero in each unit, with a mark before it or without one.
        let isLittle: Bool? = switch (content[0], content[1]) {
        case (0xff, 0xfe), (1..., 0): true
        case (0xfe, 0xff), (0, 1...): false
        default: nil
        }
        guard let isLittle else { return content }
        let units = stride(from: 0, to: content.count, by: 2).map { index in
            let (low, high) = isLittle ? (content[index], content[index + 1])
                : (content[index + 1], content[index])
            return UInt16(high) << 8 | UInt16(low)
        }
        guard let text = String(validating: units, as: UTF16.self) else { return content }
        return Bytes(text.utf8.dropFirst(units.first == 0xfeff ? 3 : 0))
    }

    /// A text without the white space and byte order marks at its ends.
    package static func trimmed(_ text: Bytes) -> Bytes {
        // Nearly every text begins and ends with a letter, a digit or a mark.
        let isPlain = { (byte: UInt8?) in byte.map { (0x21...0x7e).contains($0) } ?? true }
        if isPlain(text.first), isPlain(text.last) { return text }
        var rest = text[...]
        while let space = spaces.first(where: { rest.starts(with: $0) }) {
            rest = rest.dropFirst(space.count)
        }
        while let space = spaces.first(where: { rest.suffix($0.count).elementsEqual($0) }) {
            rest = rest.dropLast(space.count)
        }
        return rest.count == text.count ? text : Bytes(rest)
    }

    /// Unicode's white space, the byte order mark and the zero-width space, in UTF-8.
    private static let spaces: [Bytes] = {
        var scalars: [UInt32] = [0x20, 0x85, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000]
        scalars += Array(0x09...0x0d) + Array(0x2000...0x200b) + [0xfeff]
        return scalars.compactMap { Unicode.Scalar($0) }.map { Bytes(String($0).utf8) }
    }()

    /// Decodes each `%XX` once; nil on a bad escape. A plus sign stays a plus sign.
    package static func percentDecode(_ bytes: some Sequence<UInt8>) -> Bytes? {
        percentDecode(Bytes(bytes)[...])
    }

    /// The same for a part of some bytes; a bad escape may also stay as it is.
    package static func percentDecode(
        _ bytes: ArraySlice<UInt8>, keepingBad: Bool = false
    ) -> Bytes? {
        var decoded = Bytes()
        decoded.reserveCapacity(bytes.count)
        var rest = bytes
        while let escape = ByteSearch.first(UInt8(ascii: "%"), in: rest) {
            decoded += rest[..<escape]
            if escape + 2 < rest.endIndex, let high = Hex.value(ofDigit: rest[escape + 1]),
                let low = Hex.value(ofDigit: rest[escape + 2]) {
                decoded.append(high << 4 | low)
                rest = rest[(escape + 3)...]
            } else {
                guard keepingBad else { return nil }
                decoded.append(rest[escape])
                rest = rest[(escape + 1)...]
            }
        }
        decoded += rest
        return decoded
    }
}

extension Text {
    /// The text with invisible and misleading characters escaped.
    ///
    /// Controls, direction marks, zero-width characters, unusual spaces, line separators and
    /// private characters become `\u{XXXX}`; a backslash becomes two. Letters of any script stay.
    package static func escaped(_ text: String) -> String {
        spelledOut(text, backslashes: true)
    }

    /// The text with invisible characters escaped, but not backslashes.
    ///
    /// It is for a text of which some parts may be escaped already.
    package static func onOneLine(_ text: String) -> String {
        spelledOut(text, backslashes: false)
    }

    private static func spelledOut(_ text: String, backslashes: Bool) -> String {
        // Nearly every text is printable ASCII and needs no escapes.
        let bytes = text.utf8.span
        var isPlain = true
        for index in bytes.indices {
            let byte = bytes[index]
            isPlain = isPlain && byte >= 0x20 && byte <= 0x7e
                && (byte != UInt8(ascii: "\\") || !backslashes)
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

    /// Whether a scalar is invisible, or changes how others are displayed.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        let scalar = scalar.value
        // The last two code points of each plane are noncharacters.
        if scalar & 0xfffe == 0xfffe { return true }
        return hidden.contains { $0.contains(scalar) }
    }

    /// The scalars that are invisible, or change how others are displayed.
    ///
    /// They are Unicode 16's categories Cc, Cf, Co, Zl, Zp and Zs without the space, its default
    /// ignorable code points, the noncharacters and the empty braille pattern. They are listed
    /// here, because a prompt's digest must not change with the Unicode tables of Swift's runtime.
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

extension Text {
    /// The number of letters to insert, remove, replace or swap with a neighbour.
    ///
    /// This is the optimal string alignment distance, which changes no letter twice.
    package static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.unicodeScalars), Array(right.unicodeScalars))
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var cost = min(
                    last[column + 1] + 1, current[column] + 1,
                    last[column] + (letter == other ? 0 : 1))
                let isSwapped = row > 0 && column > 0 && letter == right[column - 1]
                    && left[row - 1] == other
                if isSwapped { cost = min(cost, beforeLast[column - 1] + 1) }
                current.append(cost)
            }
            beforeLast = last
            last = current
        }
        return last[right.count]
    }
}
