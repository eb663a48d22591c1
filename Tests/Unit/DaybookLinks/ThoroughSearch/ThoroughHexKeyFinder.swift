import DaybookEncoding

@testable import DaybookLinks

/// Finds private keys, and seeds of BIP 39, in hexadecimal where an address should stand: after
/// `pay=`, or as the path; and as a text of nothing else.
///
/// Elsewhere 64 digits are as likely a transaction's hash.
enum ThoroughHexKeyFinder {
    static func find(in text: Bytes) -> [FoundSecret] {
        let ends = "&?#".utf8
        let pieces = text.split(omittingEmptySubsequences: false) { ends.contains($0) }
        return pieces.enumerated().compactMap { number, piece in
            let value = value(of: piece, isFirst: number == 0)
            guard let value, holdsKey(ThoroughViews.percentDecoded(Bytes(value))) else {
                return nil
            }
            return FoundSecret(kind: .hex, range: value.startIndex..<value.endIndex)
        }
    }

    private static func value(
        of piece: ArraySlice<UInt8>, isFirst: Bool
    ) -> ArraySlice<UInt8>? {
        if let equals = piece.firstIndex(of: UInt8(ascii: "=")) {
            let key = ThoroughViews.percentDecoded(Bytes(piece[..<equals])).map { $0 | 0x20 }
            return key.suffix(3).elementsEqual("pay".utf8) ? piece[(equals + 1)...] : nil
        }
        guard isFirst else { return nil }
        guard let colon = piece.firstIndex(of: UInt8(ascii: ":")) else { return piece }
        let slash = UInt8(ascii: "/")
        let path = piece[(colon + 1)...].drop { $0 == slash }
        return path.prefix { $0 != slash }
    }

    /// Other characters beside the digits do not matter: no address has so many digits in a row,
    /// and a reader knows a key with a space or a letter too many.
    private static func holdsKey(_ value: Bytes) -> Bool {
        var digits = 0
        for byte in value {
            digits = Hex.value(ofDigit: byte) == nil ? 0 : digits + 1
            if digits == 64 { return true }
        }
        return false
    }
}
