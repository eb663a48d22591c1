package import DaybookChains
package import DaybookCrypto
package import DaybookEncoding
package import DaybookSystem

/// A folder of sealed wallet files, one for each wallet, that only the owner can read.
package struct Keystore: KeyVault {
    /// The folder's path; sealing creates it if it is missing.
    package let folder: String
    /// The folder of the store, which only the owner may access too; nil for none.
    private let store: String?
    /// The parameters for files that are sealed from now on.
    package let parameters: Scrypt.Parameters
    private let decoded = KeptFiles<SealedFile>(capacity: 64)
    private let turns = KeyTurns()

    /// 128 MiB and about 0.4 seconds for each guess of a passphrase.
    package static let standardParameters = Scrypt.Parameters(n: 1 << 17, r: 8, p: 1)

    /// A keystore in a folder, which may belong to a store; tests choose cheaper parameters.
    package init(
        folder: String, of store: String? = nil,
        parameters: Scrypt.Parameters = Keystore.standardParameters
    ) {
        self.folder = folder
        self.store = store
        self.parameters = parameters
    }

    /// Waits for the lock of a name: one byte of a file beside the folder.
    package func lock(_ name: String) async throws(KeystoreError) -> KeyLock {
        let place = SHA256.hash(Bytes(try path(of: name).utf8)).prefix(7)
        let byte = place.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let turn = await turns.take(name)
        do throws(SystemError) {
            let held = Monitor<HeldByte?>(try await HeldByte.take(byte, of: folder + ".lock"))
            return KeyLock {
                held.change { $0 = nil }
                turn.end()
            }
        } catch {
            throw .system(error)
        }
    }

    /// The present sealing: each has a salt and a nonce of its own.
    package func sealing(of name: String) throws(KeystoreError) -> Sealing {
        let header = try file(name).header
        return Sealing(mark: header.salt + header.nonce + header.check)
    }

    /// Seals a secret under a passphrase into the file `<fingerprint>.key`, durable on return.
    ///
    /// `salt` (16 to 64 bytes) and `nonce` (12 bytes) are fresh random bytes. After a crash the
    /// file is complete, or as it was before. A file of the same wallet is replaced: whoever has
    /// the secret may choose its passphrase.
    package func seal(
        _ secret: borrowing WalletSecret, of material: PublicMaterial,
        passphrase: borrowing SecretBytes, salt: Bytes, nonce: Bytes
    ) throws(KeystoreError) {
        guard secret.makes(material) else { throw .invalid("public material") }
        try makeFolder()
        try write(secret, of: material, passphrase: passphrase, salt: salt, nonce: nonce)
    }

    /// The public material of a wallet's file, read without a passphrase.
    ///
    /// It must hash to the fingerprint in the file's name, so other keys can't be put in its place.
    package func material(of name: String) throws(KeystoreError) -> PublicMaterial {
        do throws(KeystoreError) {
            return try file(name).header.material
        } catch .missing(let name) {
            return try watchedMaterial(of: name)
        }
    }

    /// Writes the public material of a watch-only wallet to `<fingerprint>.watch`.
    ///
    /// Nothing in the file is secret. Its name authenticates it as that of a sealed file does, and
    /// its presence shows that the wallet was added here.
    package func watch(_ material: PublicMaterial) throws(KeystoreError) {
        try makeFolder()
        let path = try watchPath(of: material.fingerprint)
        let bytes = WatchFile(material: material).encoded()
        try system { () throws(SystemError) in
            try Files.writeAtomically(path, bytes, mode: 0o600)
        }
    }

    /// Opens a wallet's file with its passphrase.
    package func unlock(
        name: String, passphrase: borrowing SecretBytes
    ) throws(KeystoreError) -> Signer {
        let file = try file(name)
        let secret = try secret(in: file, passphrase)
        guard let signer = Signer(secret, file.header.material) else {
            throw .damaged(reason: "the sealed words have no keys")
        }
        return signer
    }

    /// Replaces a wallet's file by one with another passphrase and the current parameters.
    ///
    /// After a crash there is either the old or the new file. Copies of the old one, for example in
    /// a backup, can still be opened with the old passphrase.
    package func reseal(
        name: String, from old: borrowing SecretBytes, to new: borrowing SecretBytes,
        salt: Bytes, nonce: Bytes
    ) throws(KeystoreError) {
        let file = try file(name)
        let secret = try secret(in: file, old)
        try write(secret, of: file.header.material, passphrase: new, salt: salt, nonce: nonce)
    }

    /// Whether there is a sealed file of this name.
    package func exists(_ name: String) throws(KeystoreError) -> Bool {
        let path = try path(of: name)
        return try system { () throws(SystemError) in try Files.exists(path) }
    }

    /// Removes a wallet's file; without the mnemonic or a copy its coins are lost.
    package func remove(_ name: String) throws(KeystoreError) {
        guard try exists(name) else { throw .missing(name) }
        let path = try path(of: name)
        try system { () throws(SystemError) in
            try Files.remove(path)
            try Files.syncDirectory(folder)
        }
    }

    /// The names of all sealed files, sorted by their bytes.
    package func names() throws(KeystoreError) -> [String] {
        let entries = try system { () throws(SystemError) in
            try Files.exists(folder) ? try Files.list(folder) : []
        }
        return entries.filter { $0.hasSuffix(".key") }.map { String($0.dropLast(4)) }
    }
}

// MARK: - Sealing and opening

extension Keystore {
    private func write(
        _ secret: borrowing WalletSecret, of material: PublicMaterial,
        passphrase: borrowing SecretBytes, salt: Bytes, nonce: Bytes
    ) throws(KeystoreError) {
        guard SealedFile.saltLengths.contains(salt.count) else { throw .invalid("salt") }
        let keys: PassphraseKeys
        do throws(KeyDerivationError) {
            keys = try PassphraseKeys(passphrase: passphrase, salt: salt, parameters: parameters)
        } catch {
            throw .keyDerivation
        }
        let header = SealedFile.Header(
            material: material, parameters: parameters, salt: salt, nonce: nonce,
            check: keys.check)
        guard
            let sealed = ChaCha20Poly1305.seal(
                secret.encoded(), key: keys.key, nonce: nonce, associatedData: header.encoded())
        else { throw .invalid("nonce") }
        let bytes = SealedFile(header: header, sealed: sealed).encoded()
        guard bytes.count <= SealedFile.maximumSize else { throw .invalid("number of accounts") }
        let path = try path(of: material.fingerprint)
        try system { () throws(SystemError) in
            try Files.writeAtomically(path, bytes, mode: 0o600)
        }
    }

    /// A wallet's file, checked as far as possible without its passphrase.
    ///
    /// It is read again when it has changed; who may use it is checked each time.
    private func file(_ name: String) throws(KeystoreError) -> SealedFile {
        let path = try path(of: name)
        let information = try check(name, at: path)
        return try decoded.content(of: path, information) { () throws(KeystoreError) in
            let file = try SealedFile.decode(try read(path))
            guard Text.equal(file.header.material.fingerprint, name) else {
                throw .damaged(reason: "it is another wallet's")
            }
            return file
        }
    }

    private func secret(
        in file: SealedFile, _ passphrase: borrowing SecretBytes
    ) throws(KeystoreError) -> WalletSecret {
        let keys: PassphraseKeys
        do throws(KeyDerivationError) {
            keys = try PassphraseKeys(
                passphrase: passphrase, salt: file.header.salt,
                parameters: file.header.parameters)
        } catch .failed {
            throw .keyDerivation
        } catch {
            throw .damaged(reason: error.description)
        }
        guard ConstantTime.equal(keys.check, file.header.check) else { throw .wrongPassphrase }
        guard
            let bytes = ChaCha20Poly1305.open(
                file.sealed, key: keys.key, nonce: file.header.nonce,
                associatedData: file.header.encoded()),
            let secret = WalletSecret(decoding: bytes)
        else { throw .damaged(reason: "the sealed bytes were changed") }
        guard secret.makes(file.header.material) else {
            throw .damaged(reason: "its public keys are not those of its secret")
        }
        return secret
    }
}

// MARK: - Files

extension Keystore {
    private func path(of name: String) throws(KeystoreError) -> String {
        let isPlain = name.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-")
        }
        // A name becomes a file name: a slash or a dot in it would lead out of the folder.
        guard isPlain, (1...64).contains(name.utf8.count) else { throw .invalid("name") }
        return "\(folder)/\(name).key"
    }

    private func watchPath(of name: String) throws(KeystoreError) -> String {
        String(try path(of: name).dropLast(3)) + "watch"
    }

    private func watchedMaterial(of name: String) throws(KeystoreError) -> PublicMaterial {
        let path = try watchPath(of: name)
        _ = try check(name, at: path)
        guard let material = try WatchFile(decoding: try read(path))?.material,
            Text.equal(material.fingerprint, name)
        else { throw .damaged(reason: "the file of a watched wallet was changed") }
        return material
    }

    private func makeFolder() throws(KeystoreError) {
        try system { () throws(SystemError) in
            try Files.createDirectories(folder, mode: 0o700)
        }
        try checkFolder()
    }

    /// Checks that a file can be a wallet's, and that only its owner may use it and its folders.
    private func check(
        _ name: String, at path: String
    ) throws(KeystoreError) -> FileInformation {
        let information = try system { () throws(SystemError) in try Files.information(path) }
        guard let information else { throw .missing(name) }
        try checkFolder()
        guard information.owner == Files.currentUser else {
            throw .permission(reason: "it belongs to another user")
        }
        guard information.mode & 0o077 == 0 else {
            throw .permission(reason: "others than its owner may use it (chmod 600)")
        }
        guard information.kind == .file, information.size <= SealedFile.maximumSize else {
            throw .damaged(reason: "it is no file of at most \(SealedFile.maximumSize) bytes")
        }
        return information
    }

    private func read(_ path: String) throws(KeystoreError) -> Bytes {
        try system { () throws(SystemError) in
            try Files.read(path, limit: SealedFile.maximumSize)
        }
    }

    /// Refuses a folder that others can read or change: they could replace a wallet's file.
    private func checkFolder() throws(KeystoreError) {
        for (path, name) in [(folder, "its folder"), (store ?? folder, "the store's folder")] {
            let information = try system { () throws(SystemError) in
                try Files.information(path)
            }
            guard let information else { continue }
            guard information.owner == Files.currentUser else {
                throw .permission(reason: "\(name) belongs to another user")
            }
            guard information.mode & 0o077 == 0 else {
                throw .permission(reason: "others may use \(name) (chmod 700)")
            }
        }
    }
}

/// Why a sealed wallet could not be written, opened or used; no error contains a secret.
package enum KeystoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no sealed file of this name.
    case missing(String)
    /// There is such a file already; it is never overwritten.
    case exists(String)
    case wrongPassphrase
    /// The file differs from what was written.
    case damaged(reason: String)
    /// A newer program wrote the file, or a development version before the first release.
    case unknownFormat(FormatNumberError)
    /// The file or its folder belongs to another user, or others can read or change it.
    case permission(reason: String)
    /// The wallet has no key at this path.
    case noKey(at: String)
    /// An error of the operating system.
    case system(SystemError)
    /// The key derivation failed, most likely for lack of memory.
    case keyDerivation
    /// A name, salt or nonce that a sealed file can't have.
    case invalid(String)

    /// The error as one line in lower case.
    package var description: String {
        switch self {
        case .missing(let name): "no sealed key file \(name)"
        case .exists(let name): "the sealed key file \(name) is there already"
        case .wrongPassphrase: "the passphrase is wrong"
        case .damaged(let reason): "the sealed key file is damaged: \(reason)"
        case .unknownFormat(let error): error.description
        case .permission(let reason): "the sealed key file is not safe: \(reason)"
        case .noKey(let path): "the wallet has no key at \(path)"
        case .system(let error): error.description
        case .keyDerivation: "the key derivation failed, perhaps for want of memory"
        case .invalid(let what): "a sealed key file can't have this \(what)"
        }
    }
}

/// Runs a system call and wraps its error in a `KeystoreError`.
func system<Result>(
    _ body: () throws(SystemError) -> Result
) throws(KeystoreError) -> Result {
    do throws(SystemError) {
        return try body()
    } catch {
        throw .system(error)
    }
}
