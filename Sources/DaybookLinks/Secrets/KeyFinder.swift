import DaybookCrypto
import DaybookEncoding

/// Finds private keys in base58: WIF, BIP 38 and extended private keys.
///
/// Links and base64 are full of letters and digits, so inside other text only a valid checksum
/// makes a key. A text that stands alone and has the form of a key counts without one: whoever
/// corrects its typing error has the key.
enum KeyFinder {
    static func find(in bytes: Bytes) -> [FoundSecret] {
        LinkCharacters.base58.runs(atLeast: shortest, in: bytes[...])
            .flatMap { keys(in: bytes, $0) }
    }

    /// An uncompressed key in WIF has 51 characters.
    private static let shortest = 51

    /// So many false starts of keys are tried in a run before all of it is taken for a secret.
    private static let mostMisses = 1_024

    private static func keys(in bytes: Bytes, _ run: Range<Int>) -> [FoundSecret] {
        if let whole = wholeKey(in: bytes, run) { return [whole] }
        var found: [FoundSecret] = []
        var misses = 0
        var index = run.lowerBound
        while index + shortest <= run.upperBound {
            if let key = key(in: bytes, at: index, before: run.upperBound) {
                found.append(key)
                index = key.range.upperBound
            } else {
                if length(ofWIFBeginningWith: bytes[index]) != nil { misses += 1 }
                // No client writes such a run, and a longer search would cost too much time.
                guard misses < mostMisses else { return [FoundSecret(kind: .wif, range: run)] }
                index += 1
            }
        }
        return found
    }

    /// The run as one key, if it has a key's form and stands alone; checksum and coin don't matter.
    private static func wholeKey(in bytes: Bytes, _ run: Range<Int>) -> FoundSecret? {
        let standsAlone =
            (run.lowerBound == 0 || isBorder(bytes[run.lowerBound - 1]))
            && (run.upperBound == bytes.count || isBorder(bytes[run.upperBound]))
        switch run.count {
        case 51, 52:
            let begins = length(ofWIFBeginningWith: bytes[run.lowerBound]) != nil
            guard standsAlone && begins || Base58Check.isWIF(bytes[run].span) else { return nil }
            return FoundSecret(kind: .wif, range: run)
        case 58:
            guard standsAlone, bytes[run].starts(with: "6P".utf8) else { return nil }
            return FoundSecret(kind: .bip38, range: run)
        default: return nil
        }
    }

    private static func key(in bytes: Bytes, at index: Int, before end: Int) -> FoundSecret? {
        if isExtendedPrivatePrefix(bytes[index..<(index + 4)]) {
            return FoundSecret(kind: .xprv, range: index..<min(index + 111, end))
        }
        if let length = length(ofWIFBeginningWith: bytes[index]), index + length <= end,
            Base58Check.isWIF(bytes[index..<(index + length)].span) {
            return FoundSecret(kind: .wif, range: index..<(index + length))
        }
        if bytes[index] == UInt8(ascii: "6"), bytes[index + 1] == UInt8(ascii: "P"),
            index + 58 <= end, Base58Check.decode(bytes[index..<(index + 58)].span)?.count == 39 {
            return FoundSecret(kind: .bip38, range: index..<(index + 58))
        }
        return nil
    }

    /// The length of a WIF that begins with a character; nil if none does.
    ///
    /// Bitcoin's begin with 5, K or L, Dash's and Axe's with 7 or X, test networks' with 9 or c.
    private static func length(ofWIFBeginningWith character: UInt8) -> Int? {
        switch character {
        case UInt8(ascii: "5"), UInt8(ascii: "7"), UInt8(ascii: "9"): 51
        case UInt8(ascii: "K"), UInt8(ascii: "L"), UInt8(ascii: "X"), UInt8(ascii: "c"): 52
        default: nil
        }
    }

    /// Whether it is `xprv`, `tprv`, another wallet's letter and `prv`, or Dash's former `drkp`.
    private static func isExtendedPrivatePrefix(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, "xtyzuvYZUVd".utf8.contains(first) else { return false }
        return bytes.dropFirst().elementsEqual((first == UInt8(ascii: "d") ? "rkp" : "prv").utf8)
    }

    /// Whether a byte ends a run: it is in neither base58 nor base64, or is a slash, as in a path.
    private static func isBorder(_ byte: UInt8) -> Bool { !LinkCharacters.base64.admits(byte) }
}

/// Finds private keys and BIP 39 seeds in hexadecimal where an address is expected.
///
/// That is after `pay=`, as the path, or as the whole text.
/// Anywhere else 64 digits are just as likely the hash of a transaction.
enum HexKeyFinder {
    /// `decoded` is the text with its escapes decoded; it contains every key that a part contains.
    static func find(in text: Bytes, decoded: Bytes) -> [FoundSecret] {
        let runs = LinkCharacters.hexadecimal.runs(atLeast: fewestDigits, in: decoded[...])
        guard !runs.isEmpty else { return [] }
        let ends = "&?#".utf8
        let pieces = text.split(omittingEmptySubsequences: false) { ends.contains($0) }
        return pieces.enumerated().compactMap { number, piece in
            let value = value(of: piece, isFirst: number == 0)
            guard let value, holdsKey(SecretViews.percentDecoded(Bytes(value))) else { return nil }
            return FoundSecret(kind: .hex, range: value.startIndex..<value.endIndex)
        }
    }

    private static func value(
        of piece: ArraySlice<UInt8>, isFirst: Bool
    ) -> ArraySlice<UInt8>? {
        if let equals = piece.firstIndex(of: UInt8(ascii: "=")) {
            let key = SecretViews.percentDecoded(Bytes(piece[..<equals])).map { $0 | 0x20 }
            return key.suffix(3).elementsEqual("pay".utf8) ? piece[(equals + 1)...] : nil
        }
        guard isFirst else { return nil }
        guard let colon = piece.firstIndex(of: UInt8(ascii: ":")) else { return piece }
        let slash = UInt8(ascii: "/")
        let path = piece[(colon + 1)...].drop { $0 == slash }
        return path.prefix { $0 != slash }
    }

    /// Whether a value contains 64 digits in a row, which no address does.
    ///
    /// A key with a space or a letter too many is still a secret.
    private static func holdsKey(_ value: Bytes) -> Bool {
        !LinkCharacters.hexadecimal.runs(atLeast: fewestDigits, in: value[...]).isEmpty
    }

    /// The digits of a key's 32 bytes.
    private static let fewestDigits = 64
}

/// Finds seed words: twelve or more words of BIP 39 in a row, with any separators.
///
/// Their checksum is not verified: words with a mistake in them are still a secret.
enum MnemonicFinder {
    /// In a decoded value the separators of a link's pairs (`=&?:#`) may separate words too.
    static func find(in bytes: Bytes, isDecoded: Bool = false) -> [FoundSecret] {
        guard holdsWord(bytes) else { return [] }
        var found: [FoundSecret] = []
        var words: [Range<Int>] = []
        func close() {
            if words.count >= fewestWords, let first = words.first, let last = words.last {
                let range = first.lowerBound..<last.upperBound
                found.append(FoundSecret(kind: .mnemonic, range: range))
            }
            words = []
        }
        var index = 0
        while index < bytes.count {
            guard isLetter(bytes[index]) else {
                index += 1
                continue
            }
            var end = index
            while end < bytes.count, isLetter(bytes[end]) { end += 1 }
            let word = index..<end
            if let last = words.last {
                let between = bytes[last.upperBound..<word.lowerBound]
                if !isGap(between) || !isDecoded && dividesPairs(between) { close() }
            }
            if isWord(bytes[word]) { words.append(word) } else { close() }
            index = end
        }
        close()
        return found
    }

    private static let fewestWords = 12

    /// The bytes of twelve words of three letters and eleven separators.
    static let shortest = 47

    /// Whether the bytes can contain twelve words in a row; a quick test.
    ///
    /// Twelve words have at least `shortest` bytes. So one of every `shortest` bytes would lie in a
    /// word, or in the gap before one.
    private static func holdsWord(_ bytes: Bytes) -> Bool {
        stride(from: shortest - 1, to: bytes.count, by: shortest).contains { place in
            var start = place
            while start < bytes.count, start - place <= longestGap, !isLetter(bytes[start]) {
                start += 1
            }
            var end = start
            let lowest = max(place - longestWord, 0)
            while start > lowest, isLetter(bytes[start - 1]) { start -= 1 }
            let highest = min(start + longestWord + 1, bytes.count)
            while end < highest, isLetter(bytes[end]) { end += 1 }
            return isWord(bytes[start..<end])
        }
    }

    private static let longestGap = 256
    private static let longestWord = 8

    /// Whether the bytes can separate two words.
    ///
    /// For example a space, `%20`, a comma and a line break, a number and a point, or the quotes
    /// and indentation of a JSON list.
    private static func isGap(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count <= longestGap && bytes.count { !" \t\r\n".utf8.contains($0) } <= 8
    }

    /// Whether the bytes separate pairs of a link, whose keys (`amount`, `message`) are words too.
    private static func dividesPairs(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.contains { "=&?:#".utf8.contains($0) }
    }

    private static func isWord(_ bytes: ArraySlice<UInt8>) -> Bool {
        (3...longestWord).contains(bytes.count) && BIP39Words.contains(bytes)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
