import DaybookEncoding

/// Finds private keys, and seeds of BIP 39, in hexadecimal where an address should stand: after
/// `pay=`, or as the path.
///
/// Elsewhere 64 digits are as likely a transaction's hash.
enum HexKeyFinder {
    static func find(in text: Bytes) -> [FoundSecret] {
        let ends = "&?#".utf8
        let pieces = text.split(omittingEmptySubsequences: false) { ends.contains($0) }
        return pieces.enumerated().compactMap { number, piece in
            let value = value(of: piece, isFirst: number == 0)
            guard let value, isKey(SecretViews.percentDecoded(Bytes(value))) else { return nil }
            return FoundSecret(kind: .hex, range: value.startIndex..<value.endIndex)
        }
    }

    private static func value(
        of piece: ArraySlice<UInt8>, isFirst: Bool
    ) -> ArraySlice<UInt8>? {
        if let equals = piece.firstIndex(of: UInt8(ascii: "=")) {
            let key = piece[..<equals]
            return key.suffix(3).elementsEqual("pay".utf8) ? piece[(equals + 1)...] : nil
        }
        guard isFirst, let colon = piece.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let slash = UInt8(ascii: "/")
        let path = piece[(colon + 1)...].drop { $0 == slash }
        return path.prefix { $0 != slash }
    }

    private static func isKey(_ value: Bytes) -> Bool {
        let digits = value.starts(with: "0x".utf8) ? value.dropFirst(2) : value[...]
        return [64, 128].contains(digits.count)
            && Hex.decode(String(decoding: digits, as: UTF8.self)) != nil
    }
}
