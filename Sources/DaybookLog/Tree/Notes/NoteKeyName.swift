package import DaybookEncoding

/// A key's name in notes: not empty, without spaces, pluses and control characters.
package struct NoteKeyName: Hashable, Sendable {
    /// The name's UTF-8; names are the same where these are.
    package let bytes: Bytes

    /// A name of a text.
    package init(_ text: String) throws(NoteError) {
        let isName = text.unicodeScalars.allSatisfy { scalar in
            scalar.value >= 0x20 && scalar != "+" && !scalar.properties.isWhitespace
        }
        guard isName, !text.isEmpty else { throw .malformedName }
        bytes = Bytes(text.utf8)
    }

    /// A name of the UTF-8 of a text.
    init(utf8 bytes: Bytes) throws(NoteError) {
        guard let text = Text.utf8String(bytes) else { throw .malformedName }
        try self.init(text)
    }

    /// The name of the key that signs a log's checkpoints, and their origin: from the log's id.
    package static func ofLog(_ logID: Bytes) -> NoteKeyName {
        NoteKeyName(unchecked: Bytes("daybook/\(Hex.encode(logID))".utf8))
    }

    private init(unchecked bytes: Bytes) {
        self.bytes = bytes
    }
}
