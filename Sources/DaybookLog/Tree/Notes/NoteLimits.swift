/// How much a text from elsewhere may hold.
package enum NoteLimits {
    /// The bytes of a note: 16 signatures of five thousand bytes, and room to spare.
    package static let noteBytes = 256 * 1024
    /// The signatures of a note.
    package static let signatures = 100
    /// The hashes of a proof: one for each bit of an index.
    package static let hashes = 64
    /// The bytes of a proof's extra data.
    package static let extraBytes = 64 * 1024
}
