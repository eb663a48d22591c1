import DaybookEncoding
package import DaybookLog

/// The keys that a log's checkpoints name, which must not be the auditor's.
package struct CheckpointKeys: Sendable {
    /// The keys as the checkpoints write them, each once; few logs have more than one.
    private(set) var texts: [String] = []

    /// How many are remembered at most, so that a hostile log can't fill the memory.
    private static let limit = 1000

    init(_ texts: [String] = []) {
        self.texts = texts
    }

    mutating func note(_ text: String) {
        guard texts.count < Self.limit, !texts.contains(where: { Text.equal($0, text) }) else {
            return
        }
        texts.append(text)
    }

    /// Whether one of them is a public key, under whatever name.
    package func contain(_ key: NoteVerifierKey) -> Bool {
        texts.contains { (try? NoteVerifierKey($0))?.publicKey == key.publicKey }
    }
}
