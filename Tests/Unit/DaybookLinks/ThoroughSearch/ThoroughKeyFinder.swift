import DaybookCrypto
import DaybookEncoding

@testable import DaybookLinks

/// Finds private keys in base58: WIF, BIP 38 and extended private keys.
///
/// Links and base64 are full of letters and digits, so that a key counts by its checksum, wherever
/// it stands; a key with a spoilt checksum counts where it stands alone, for it is still a key to
/// whoever mends it.
enum ThoroughKeyFinder {
    static func find(in bytes: Bytes) -> [FoundSecret] {
        let digits = LinkCharacters.base58
        var found: [FoundSecret] = []
        var start = 0
        while start < bytes.count {
            guard digits.admits(bytes[start]) else {
                start += 1
                continue
            }
            var end = start
            while end < bytes.count, digits.admits(bytes[end]) { end += 1 }
            if end - start >= shortest { found += keys(in: bytes, start..<end) }
            start = end
        }
        return found
    }

    /// An uncompressed key in WIF has 51 characters.
    private static let shortest = 51

    /// How many beginnings of keys may turn out to be none before their run is given up.
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
                // No client writes such a run; to look further would only cost time.
                guard misses < mostMisses else { return [FoundSecret(kind: .wif, range: run)] }
                index += 1
            }
        }
        return found
    }

    /// A run that has a key's form and stands alone, whatever its checksum and coin.
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

    /// The length of a WIF with this beginning, for the coins that people carry here: Bitcoin's
    /// (5, K, L), Dash's and Axe's (7, X), and every test network's (9, c).
    private static func length(ofWIFBeginningWith character: UInt8) -> Int? {
        switch character {
        case UInt8(ascii: "5"), UInt8(ascii: "7"), UInt8(ascii: "9"): 51
        case UInt8(ascii: "K"), UInt8(ascii: "L"), UInt8(ascii: "X"), UInt8(ascii: "c"): 52
        default: nil
        }
    }

    /// `xprv`, `tprv` and the letters that other wallets put before `prv`; Dash once had `drkp`.
    private static func isExtendedPrivatePrefix(_ bytes: ArraySlice<UInt8>) -> Bool {
        if bytes.elementsEqual("drkp".utf8) { return true }
        guard let first = bytes.first, "xtyzuvYZUV".utf8.contains(first) else { return false }
        return bytes.dropFirst().elementsEqual("prv".utf8)
    }

    private static func hasWIFChecksum(_ text: ArraySlice<UInt8>) -> Bool {
        guard let payload = payload(text) else { return false }
        return payload.count == 33 || (payload.count == 34 && payload.last == 1)
    }

    private static func payload(_ text: ArraySlice<UInt8>) -> Bytes? {
        Base58Check.decode(String(decoding: text, as: UTF8.self))
    }

    /// A neighbour that belongs neither to base58 nor, but for the slash of a path, to base64.
    private static func isBorder(_ byte: UInt8) -> Bool { !LinkCharacters.base64.admits(byte) }
}
