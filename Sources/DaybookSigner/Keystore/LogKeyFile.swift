package import DaybookCrypto
import DaybookEncoding
import DaybookSystem

/// The file of a key that signs or cosigns checkpoints: readable by the owner only, never partial.
///
/// It holds a line with a name and the format's number, the seed and the public key (32 bytes
/// each). It is not sealed: signing a checkpoint needs no passphrase, and a user who can read the
/// file can change the log too.
package struct LogKeyFile: Sendable {
    /// The owner of a key; the raw value is the name in the file's first line.
    package enum Owner: String, Sendable {
        case log = "daybook log key"
        case witness = "daybook witness key"
    }

    /// The file's path.
    package let path: String
    private let owner: Owner

    /// The file at a path, which need not exist.
    package init(path: String, of owner: Owner = .log) {
        (self.path, self.owner) = (path, owner)
    }

    private static let keyBytes = 2 * Ed25519PrivateKey.length
    private static let mostBytes = 128

    /// Whether the file exists.
    package func exists() throws(KeystoreError) -> Bool {
        try system { () throws(SystemError) in try Files.exists(path) }
    }

    /// Writes a new key of 32 bytes of fresh entropy, which are wiped; durable on return.
    package func make(from entropy: inout [UInt8]) throws(KeystoreError) -> Ed25519PrivateKey {
        if try exists() { throw .exists("log.key") }
        let seed = SecretBytes(wiping: &entropy)
        guard let key = Ed25519PrivateKey(seed.copy()) else { throw .invalid("seed") }
        var bytes = Bytes()
        bytes.reserveCapacity(Self.mostBytes)
        bytes += Bytes("\(owner.rawValue) \(FormatNumber.noteKey.current)\n".utf8)
        seed.withBytes { seed in
            for index in seed.indices { bytes.append(seed[index]) }
        }
        bytes += key.publicKey.bytes
        defer { _ = SecretBytes(wiping: &bytes) }
        let file = path
        let content = bytes
        try system { () throws(SystemError) in
            try Files.writeAtomically(file, content, mode: 0o600)
        }
        return key
    }

    /// The key in the file.
    package func read() throws(KeystoreError) -> Ed25519PrivateKey {
        let information = try system { () throws(SystemError) in try Files.information(path) }
        guard let information else { throw .missing("log.key") }
        guard information.owner == Files.currentUser else {
            throw .permission(reason: "\(path) belongs to another user")
        }
        guard information.mode & 0o077 == 0 else {
            throw .permission(reason: "others than its owner may use \(path) (chmod 600)")
        }
        guard information.kind == .file, information.size > Self.keyBytes,
            information.size <= Self.mostBytes
        else { throw damaged }
        var bytes = try system { () throws(SystemError) in
            try Files.read(path, limit: Self.mostBytes)
        }
        let content = SecretBytes(wiping: &bytes)
        let start = content.count - Self.keyBytes
        guard start > 0 else { throw damaged }
        try checkHeading(content.withBytes { content in (0..<start).map { content[$0] } })
        let end = start + Ed25519PrivateKey.length
        let seed = content.withBytes { SecretBytes(copying: $0.extracting(start..<end)) }
        let publicKey = content.withBytes { content in
            (end..<content.count).map { content[$0] }
        }
        guard let key = Ed25519PrivateKey(seed), key.publicKey.bytes == publicKey else {
            throw damaged
        }
        return key
    }

    private func checkHeading(_ heading: Bytes) throws(KeystoreError) {
        guard let text = Text.utf8String(heading), text.utf8.last == UInt8(ascii: "\n"),
            Text.begins(text, with: owner.rawValue + " "),
            let number = UInt64(text.dropFirst(owner.rawValue.count + 1).dropLast())
        else { throw damaged }
        try FormatNumber.noteKey.check(number, orThrow: KeystoreError.unknownFormat)
    }

    private var damaged: KeystoreError { .damaged(reason: "\(path) is not as it was written") }
}
