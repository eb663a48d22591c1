import DaybookEncoding

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
        let isMember = isMember.span
        return bytes.indices.allSatisfy { Self.holds(isMember, bytes[$0]) }
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
            while start - 1 > outside, Self.holds(isMember, bytes[start - 1]) { start -= 1 }
            var end = inside + 1
            while end < bytes.count, Self.holds(isMember, bytes[end]) { end += 1 }
            if end - start >= length {
                runs.append((slice.startIndex + start)..<(slice.startIndex + end))
            }
            outside = end
        }
        return runs
    }

    /// Whether a byte is in the set; the table has an entry for every byte.
    @inline(__always)
    private static func holds(_ isMember: Span<Bool>, _ byte: UInt8) -> Bool {
        unsafe isMember[unchecked: Int(byte)]
    }

    func admits(_ byte: UInt8) -> Bool { isMember[Int(byte)] }
}
