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
            guard standsAlone && begins || hasWIFChecksum(bytes[run]) else { return nil }
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
            hasWIFChecksum(bytes[index..<(index + length)]) {
            return FoundSecret(kind: .wif, range: index..<(index + length))
        }
        if bytes[index] == UInt8(ascii: "6"), bytes[index + 1] == UInt8(ascii: "P"),
            index + 58 <= end, payload(bytes[index..<(index + 58)])?.count == 39 {
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

    private static func hasWIFChecksum(_ text: ArraySlice<UInt8>) -> Bool {
        guard let payload = payload(text) else { return false }
        return payload.count == 33 || (payload.count == 34 && payload.last == 1)
    }

    private static func payload(_ text: ArraySlice<UInt8>) -> Bytes? {
        Base58Check.decode(text.span)
    }

    /// Whether a byte ends a run: it is in neither base58 nor base64, or is a slash, as in a path.
    private static func isBorder(_ byte: UInt8) -> Bool { !LinkCharacters.base64.admits(byte) }
}
