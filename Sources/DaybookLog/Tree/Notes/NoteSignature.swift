package import DaybookEncoding

/// A signature line of a note: whose key made it, and what it made.
///
/// The line is an em dash (U+2014), the key's name, and base 64 of the key's id (four bytes) and
/// the signature, with a space between them. What the signature is depends on the key's kind.
package struct NoteSignature: Hashable, Sendable {
    private static let dash = Bytes("— ".utf8)

    /// The key's name.
    package let name: NoteKeyName
    /// The key's id.
    package let keyID: UInt32
    /// The signature itself, one byte at least.
    package let signature: Bytes

    /// A signature under a key's name and id.
    init(name: NoteKeyName, keyID: UInt32, signature: Bytes) {
        self.name = name
        self.keyID = keyID
        self.signature = signature
    }

    /// The signature that a line spells, the line break left off; nil for any other line.
    init?(line: ArraySlice<UInt8>) {
        guard line.starts(with: Self.dash) else { return nil }
        let parts = line.dropFirst(Self.dash.count).split(
            separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 2, let name = try? NoteKeyName(utf8: Bytes(parts[0])),
            let coded = Base64.decode(parts[1]), coded.count > 4
        else { return nil }
        self.init(
            name: name, keyID: BigEndian.number(coded.prefix(4)),
            signature: Bytes(coded.dropFirst(4)))
    }

    /// Whether a line begins as those of signatures do.
    static func begins(_ line: ArraySlice<UInt8>) -> Bool { line.starts(with: dash) }

    /// The line, with its line break.
    var line: Bytes {
        let coded = Base64.encode(BigEndian.fourBytes(keyID) + signature)
        return Self.dash + name.bytes + [UInt8(ascii: " ")] + Bytes(coded.utf8) + [0x0a]
    }
}
