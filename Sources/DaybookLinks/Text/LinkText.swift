import DaybookEncoding

/// The outer form of a link: its scheme and the rest, split before anything is decoded.
enum LinkText {
    /// The scheme in lower case; nil if the text does not begin with one (RFC 3986, 3.1).
    static func scheme(of text: Bytes) -> String? {
        guard let colon = text.prefix(65).firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let spelled = text[..<colon]
        return SchemeGrammar.lowercased(spelled.span)
    }

    /// Whether the text begins with a scheme, given in lower case.
    static func hasScheme(_ scheme: String, _ text: Bytes) -> Bool {
        let scheme = scheme.utf8.span
        return text.count > scheme.count && text[scheme.count] == UInt8(ascii: ":")
            && scheme.indices.allSatisfy { text[$0] | 0x20 == scheme[$0] }
    }

    /// Whether a name is spelled like another one of letters alone, in whatever case.
    static func areSameLetters(_ name: ArraySlice<UInt8>, _ letters: String) -> Bool {
        name.elementsEqual(letters.utf8) { $0 | 0x20 == $1 | 0x20 }
    }

    /// The text after the scheme and its colon.
    static func afterScheme(_ text: Bytes) -> ArraySlice<UInt8> {
        text[upTo(":", text[...]).endIndex...].dropFirst()
    }

    /// The bytes without `prefix`; nil if they do not begin with it.
    static func removing(_ prefix: String, from bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        ByteOrder.begins(bytes, with: prefix) ? bytes.dropFirst(prefix.utf8.count) : nil
    }

    /// The first index of a byte from `start` on; nil if there is none.
    static func first(
        _ wanted: Unicode.Scalar, _ bytes: ArraySlice<UInt8>, from start: Int
    ) -> Int? {
        ByteSearch.first(
            UInt8(ascii: wanted), in: bytes.span, from: start - bytes.startIndex
        ).map { bytes.startIndex + $0 }
    }

    /// The bytes before the first `end`; all of them if there is none.
    static func upTo(_ end: Unicode.Scalar, _ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes[..<(ByteSearch.first(UInt8(ascii: end), in: bytes) ?? bytes.endIndex)]
    }

    /// Whether the bytes contain a byte.
    static func holds(_ wanted: UInt8, _ bytes: ArraySlice<UInt8>) -> Bool {
        ByteSearch.first(wanted, in: bytes) != nil
    }

    /// The fault of a text that has characters which no link has, in lower case.
    static func fault(of text: ArraySlice<UInt8>) -> String {
        for byte in text where !LinkCharacters.query.admits(byte) && byte != UInt8(ascii: "%") {
            switch byte {
            case UInt8(ascii: "#"): return "it has a fragment, which begins with #"
            case 0...0x20, 0x7f: return "a blank or line break within it has to be escaped, as %20"
            case 0x80...: return "a character beyond ASCII has to be escaped, as %C3%A9"
            default: return "a character has to be escaped, as %22"
            }
        }
        return "a character has to be escaped"
    }

    /// A value decoded once; nil if it is malformed.
    ///
    /// Malformed are bad escapes, bytes that are not UTF-8, and characters that a text for people
    /// must not contain.
    static func decode(_ raw: ArraySlice<UInt8>) -> String? {
        // Nearly every value is spelled as it is.
        if LinkCharacters.plain.admit(raw) { return Text.utf8String(raw) }
        guard let bytes = Text.percentDecode(raw), let text = Text.utf8String(bytes),
            !text.unicodeScalars.contains(where: isForbidden)
        else { return nil }
        return text
    }

    /// Whether a character is a control (C0, C1, DEL) or reorders the text around it.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1f, 0x7f...0x9f, 0x202a...0x202e, 0x2066...0x2069: true
        default: false
        }
    }
}

/// A set of characters: those allowed unescaped in a part of a link, or those of an encoding.
struct LinkCharacters {
    /// For each byte whether it is in the set: a table, because every byte of a link is looked up.
    private let isMember: [Bool]

    /// Letters and digits without some, and others beside them.
    private init(alphanumericsWithout excluded: String = "", and others: String) {
        var isMember = [Bool](repeating: false, count: 256)
        let ranges: [ClosedRange<Unicode.Scalar>] = ["a"..."z", "A"..."Z", "0"..."9"]
        for range in ranges {
            for value in range.lowerBound.value...range.upperBound.value {
                isMember[Int(value)] = true
            }
        }
        for byte in excluded.utf8 { isMember[Int(byte)] = false }
        for byte in others.utf8 { isMember[Int(byte)] = true }
        self.isMember = isMember
    }

    /// Every byte but these.
    private init(allBut excluded: String) {
        isMember = (0...255).map { !excluded.utf8.contains($0) }
    }

    /// Allowed in a wallet link: nothing that could end the part or name a host, port or user.
    static let walletLink = LinkCharacters(and: "-._~%+!$'()*,;&=")

    /// Allowed in a query by RFC 3986 (3.4).
    static let query = LinkCharacters(and: "-._~%+!$'()*,;&=:@/?")

    /// Allowed in a return address: unreserved characters and slashes.
    static let path = LinkCharacters(and: "-._~/")

    /// Allowed in the query of a proof of payment's prefix: pairs, escaped.
    static let proofQuery = LinkCharacters(and: "-._~/=&%")

    /// Characters that begin no escape and are in every text for people.
    static let plain = LinkCharacters(and: "-._~+!$'()*,;&=:@/?")

    /// The characters of an encoded value: percent escapes, base64 or hexadecimal.
    static let encoded = LinkCharacters(and: "%+/-_")

    /// The digits of base58, without those that look alike.
    static let base58 = LinkCharacters(alphanumericsWithout: "0OIl", and: "")

    /// The digits of base64 without the slash, which also separates the parts of a path.
    static let base64 = LinkCharacters(and: "+")

    /// The digits of hexadecimal.
    static let hexadecimal = LinkCharacters(
        alphanumericsWithout: "ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ", and: "")

    /// Everything but the separators of a link's parts.
    static let value = LinkCharacters(allBut: ":?&=#")

    func admit(_ bytes: ArraySlice<UInt8>) -> Bool {
        admit(bytes.span)
    }

    func admit(_ bytes: Span<UInt8>) -> Bool {
        Self.endOfMembers(isMember.span, in: bytes, from: 0) == bytes.count
    }

    /// The ranges of at least `length` members in a row, each as long as possible.
    ///
    /// Between two bytes that are no members lies a run of `length` only if the byte `length`
    /// behind the first is a member; all other bytes are skipped.
    func runs(atLeast length: Int, in slice: ArraySlice<UInt8>) -> [Range<Int>] {
        let bytes = slice.span
        let isMember = isMember.span
        var runs: [Range<Int>] = []
        var outside = -1
        while outside + length < bytes.count {
            let inside = outside + length
            guard Self.holds(isMember, bytes[inside]) else {
                outside = inside
                continue
            }
            var start = inside
            // In bounds, as `outside` is at least -1.
            while start &- 1 > outside,
                unsafe Self.holds(isMember, bytes[unchecked: start &- 1]) { start = start &- 1 }
            let end = Self.endOfMembers(isMember, in: bytes, from: inside + 1)
            if end - start >= length {
                runs.append((slice.startIndex + start)..<(slice.startIndex + end))
            }
            outside = end
        }
        return runs
    }

    /// The index of the first byte from `start` on that is not in the set.
    private static func endOfMembers(
        _ isMember: Span<Bool>, in bytes: Span<UInt8>, from start: Int
    ) -> Int {
        precondition(start >= 0, "the bytes begin at zero")
        var end = start
        // Four at a time, which is faster; all are in bounds.
        while bytes.count &- end >= 4 {
            let first = unsafe holds(isMember, bytes[unchecked: end])
            let second = unsafe holds(isMember, bytes[unchecked: end &+ 1])
            let third = unsafe holds(isMember, bytes[unchecked: end &+ 2])
            let fourth = unsafe holds(isMember, bytes[unchecked: end &+ 3])
            guard first, second, third, fourth else { break }
            end = end &+ 4
        }
        while end < bytes.count, holds(isMember, bytes[end]) { end += 1 }
        return end
    }

    /// Whether a byte is in the set; the table has an entry for every byte.
    @inline(__always)
    private static func holds(_ isMember: Span<Bool>, _ byte: UInt8) -> Bool {
        unsafe isMember[unchecked: Int(byte)]
    }

    func admits(_ byte: UInt8) -> Bool { isMember[Int(byte)] }
}
