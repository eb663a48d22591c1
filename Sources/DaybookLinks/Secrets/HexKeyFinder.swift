import DaybookEncoding

/// Finds private keys and BIP 39 seeds in hexadecimal in the place of an address: after `pay=`, as
/// the path, or as the whole text.
///
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
