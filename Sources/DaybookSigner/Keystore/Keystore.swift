package import DaybookCrypto
package import DaybookEncoding
import DaybookSystem

/// The folder of sealed wallet files: one per wallet, for the owner alone, each whole or absent.
package struct Keystore: KeyVault {
    /// The folder's path; sealing makes it where it is missing.
    package let folder: String
    /// What a guess of a passphrase costs in files sealed from now on.
    package let parameters: Scrypt.Parameters

    /// 32 MiB and about a tenth of a second for each guess.
    package static let standardParameters = Scrypt.Parameters(n: 1 << 15, r: 8, p: 1)

    /// A keystore in a folder; tests choose cheaper parameters.
    package init(
        folder: String, parameters: Scrypt.Parameters = Keystore.standardParameters
    ) {
        self.folder = folder
        self.parameters = parameters
    }

    /// Seals a secret under a passphrase into a new file `<name>.key`, durable on return.
    ///
    /// `salt` (16 to 64 bytes) and `nonce` (12) are fresh entropy that the caller drew. After a
    /// crash the file is there whole or not at all.
    package func seal(
        _ secret: borrowing WalletSecret, name: String, passphrase: borrowing SecretBytes,
        salt: Bytes, nonce: Bytes
    ) throws(KeystoreError) {
        let path = try path(of: name)
        guard SealedFile.saltLengths.contains(salt.count) else { throw .invalid("salt") }
        try makeFolder()
        guard !(try exists(name)) else { throw .exists(name) }
        let keys: PassphraseKeys
        do throws(KeyDerivationError) {
            keys = try PassphraseKeys(passphrase: passphrase, salt: salt, parameters: parameters)
        } catch {
            throw .keyDerivation
        }
        let header = SealedFile.Header(
            wallet: name, parameters: parameters, salt: salt, nonce: nonce, check: keys.check)
        guard
            let sealed = ChaCha20Poly1305.seal(
                secret.encoded(), key: keys.key, nonce: nonce, associatedData: header.encoded())
        else { throw .invalid("nonce") }
        let bytes = SealedFile(header: header, sealed: sealed).encoded()
        try system { () throws(SystemError) in
            try Files.writeAtomically(path, bytes, mode: 0o600)
        }
    }

    /// Opens a wallet's file with its passphrase.
    package func unlock(
        name: String, passphrase: borrowing SecretBytes
    ) throws(KeystoreError) -> UnlockedWallet {
        let file = try SealedFile.decode(try read(name))
        guard file.header.wallet == name else {
            throw .damaged(reason: "it is another wallet's")
        }
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
        guard let wallet = UnlockedWallet(secret) else {
            throw .damaged(reason: "the sealed words have no keys")
        }
        return wallet
    }

    /// Whether there is a sealed file of this name.
    package func exists(_ name: String) throws(KeystoreError) -> Bool {
        let path = try path(of: name)
        return try system { () throws(SystemError) in try Files.exists(path) }
    }

    /// Removes a wallet's file: without the words or a copy, its coins are lost.
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

    private func makeFolder() throws(KeystoreError) {
        try system { () throws(SystemError) in
            try Files.createDirectories(folder, mode: 0o700)
        }
        try checkFolder()
    }

    private func read(_ name: String) throws(KeystoreError) -> Bytes {
        let path = try path(of: name)
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
        return try system { () throws(SystemError) in
            try Files.read(path, limit: SealedFile.maximumSize)
        }
    }

    private func checkFolder() throws(KeystoreError) {
        let information = try system { () throws(SystemError) in try Files.information(folder) }
        guard let information else { return }
        guard information.owner == Files.currentUser else {
            throw .permission(reason: "its folder belongs to another user")
        }
        guard information.mode & 0o022 == 0 else {
            throw .permission(reason: "others may change its folder (chmod 700)")
        }
    }
}
