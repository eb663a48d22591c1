package import DaybookChains
package import DaybookCrypto
package import DaybookEncoding

/// A keystore file of ICON wallets (Web3 secret storage, version 3): a key under a password.
package struct ICONKeystoreFile: Sendable {
    /// The address that the file names; nil if it names none.
    package let address: ICONAddress?
    let derivation: Derivation
    let counter: Bytes
    let ciphertext: Bytes
    let mac: Bytes

    /// The key derivation: iconsdk reads both kinds, goloop writes only scrypt.
    enum Derivation: Equatable, Sendable {
        case scrypt(Scrypt.Parameters, salt: Bytes)
        case pbkdf2(iterations: Int, salt: Bytes)
    }

    /// The largest keystore file, in bytes.
    package static let maximumSize = 16_384

    /// Parses a file; its parameters are checked before any work is done with them.
    package init(_ bytes: Bytes) throws(ICONKeystoreError) {
        guard bytes.count <= Self.maximumSize else { throw .tooLarge(bytes.count) }
        let file = try Self.json(bytes)
        guard file.member("version")?.intValue == 3 else {
            throw .unsupported("another version than 3")
        }
        if let coin = file.member("coinType"), coin.stringValue != "icx" {
            throw .unsupported("another coin than icx")
        }
        guard let crypto = file.member("crypto") else { throw .field("crypto") }
        guard let cipher = crypto.member("cipher")?.stringValue else {
            throw .field("crypto.cipher")
        }
        guard cipher == "aes-128-ctr" else { throw .unsupported("another cipher") }
        address = try Self.address(file)
        counter = try Self.counter(crypto, isConfirmed: address != nil)
        ciphertext = try Self.bytes(
            crypto.member("ciphertext"), count: 32...32, "crypto.ciphertext")
        mac = try Self.bytes(crypto.member("mac"), count: 32...32, "crypto.mac")
        derivation = try Self.derivation(crypto)
    }

    /// Decrypts the key, after checking the password's MAC, and compares its address.
    package func unlock(
        password: borrowing SecretBytes, limits: Scrypt.Limits = .standard
    ) throws(ICONKeystoreError) -> WalletSecret {
        let derived = try Self.derive(derivation, password, limits)
        guard ConstantTime.equal(Self.checkValue(derived, ciphertext), mac) else {
            throw .wrongPassword
        }
        let key = Self.cipherKey(derived)
        guard let secret = AES128CTR.apply(to: ciphertext.span, key: key, counter: counter),
            let privateKey = PrivateKey(secret)
        else { throw .notAKey }
        if let address, address != ICONAddress(privateKey.publicKey) { throw .otherAddress }
        return .key(SingleKey(privateKey))
    }

    private static func cipherKey(_ derived: borrowing SecretBytes) -> SecretBytes {
        derived.withBytes { SecretBytes(copying: $0.extracting(0..<16)) }
    }

    private static func checkValue(
        _ derived: borrowing SecretBytes, _ ciphertext: Bytes
    ) -> Bytes {
        let input = SecretBytes(count: 16 + ciphertext.count) { input in
            derived.withBytes { derived in
                for index in 0..<16 { input[index] = derived[16 + index] }
            }
            for index in ciphertext.indices { input[16 + index] = ciphertext[index] }
        }
        return input.withBytes { Keccak256.hash($0) }
    }

    private static func derive(
        _ derivation: Derivation, _ password: borrowing SecretBytes,
        _ limits: Scrypt.Limits = .standard
    ) throws(ICONKeystoreError) -> SecretBytes {
        do throws(KeyDerivationError) {
            switch derivation {
            case .scrypt(let parameters, let salt):
                return try Scrypt.derive(
                    passphrase: password, salt: salt, parameters: parameters, length: 32,
                    limits: limits)
            case .pbkdf2(let iterations, let salt):
                return try PBKDF2.derive(
                    .sha256, passphrase: password, salt: salt, iterations: iterations, length: 32)
            }
        } catch {
            throw .keyDerivation(error)
        }
    }
}

// MARK: - Writing

extension ICONKeystoreFile {
    /// The parameters that goloop writes: each guess costs 64 MiB; iconsdk reads them too.
    package static let writtenParameters = Scrypt.Parameters(n: 1 << 16, r: 8, p: 1)

    /// A file that holds a key under a password; salt, counter and id are 16 random bytes each.
    static func sealing(
        _ privateKey: borrowing PrivateKey, password: borrowing SecretBytes,
        parameters: Scrypt.Parameters = writtenParameters, salt: Bytes, counter: Bytes, id: Bytes
    ) throws(ICONKeystoreError) -> Bytes {
        let derived = try derive(.scrypt(parameters, salt: salt), password)
        let key = cipherKey(derived)
        let sealed = privateKey.withBytes { AES128CTR.apply(to: $0, key: key, counter: counter) }
        guard let sealed else { throw .field("crypto.cipherparams.iv") }
        let ciphertext = sealed.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        let crypto = JSON.record([
            "cipher": .string("aes-128-ctr"),
            "cipherparams": .record(["iv": .string(Hex.encode(counter))]),
            "ciphertext": .string(Hex.encode(ciphertext)),
            "kdf": .string("scrypt"),
            "kdfparams": .record([
                "dklen": .int(32), "n": .int(parameters.n), "r": .int(parameters.r),
                "p": .int(parameters.p), "salt": .string(Hex.encode(salt)),
            ]),
            "mac": .string(Hex.encode(checkValue(derived, ciphertext))),
        ])
        let file = JSON.record([
            "address": .string(ICONAddress(privateKey.publicKey).text),
            "id": .string(uuid(id)), "version": .int(3), "coinType": .string("icx"),
            "crypto": crypto,
        ])
        return Bytes(file.text().utf8) + [UInt8(ascii: "\n")]
    }

    /// A UUID of random bytes (version 4).
    private static func uuid(_ random: Bytes) -> String {
        var bytes = random
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        let parts = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Hex.encode(bytes[$0]) }
        return parts.joined(separator: "-")
    }
}

// MARK: - Reading

extension ICONKeystoreFile {
    private static func json(_ bytes: Bytes) throws(ICONKeystoreError) -> JSON {
        do throws(JSONError) {
            return try JSON.parse(Text.ofFile(bytes))
        } catch {
            throw .notJSON(offset: error.offset)
        }
    }

    private static func address(_ file: JSON) throws(ICONKeystoreError) -> ICONAddress? {
        guard let value = file.member("address"), value != .null else { return nil }
        guard let text = value.stringValue else { throw .field("address") }
        // Some programs write the digits alone, with `0x`, or in capitals.
        let lower = text.lowercased()
        let digits = ["hx", "0x"].contains { lower.hasPrefix($0) } ? lower.dropFirst(2) : lower[...]
        guard let address = ICONAddress("hx" + digits) else { throw .field("address") }
        return address
    }

    private static func derivation(_ crypto: JSON) throws(ICONKeystoreError) -> Derivation {
        let place = "crypto.kdfparams"
        guard let kdf = crypto.member("kdf")?.stringValue else { throw .field("crypto.kdf") }
        guard let fields = crypto.member("kdfparams") else { throw .field(place) }
        guard fields.member("dklen")?.intValue == 32 else { throw .field("\(place).dklen") }
        let salt = try bytes(fields.member("salt"), count: 1...128, "\(place).salt")
        switch kdf {
        case "scrypt":
            return .scrypt(
                Scrypt.Parameters(
                    n: try number(fields.member("n"), "\(place).n"),
                    r: try number(fields.member("r"), "\(place).r"),
                    p: try number(fields.member("p"), "\(place).p")),
                salt: salt)
        case "pbkdf2":
            guard fields.member("prf")?.stringValue == "hmac-sha256" else {
                throw .unsupported("another prf than hmac-sha256")
            }
            return .pbkdf2(iterations: try number(fields.member("c"), "\(place).c"), salt: salt)
        default:
            throw .unsupported("another key derivation than scrypt and pbkdf2")
        }
    }

    /// Some programs drop leading zero bytes of the counter, so a shorter one is padded.
    ///
    /// The MAC does not cover the counter: with a wrong one another key comes out. So it is padded
    /// only where the address confirms the key.
    private static func counter(
        _ crypto: JSON, isConfirmed: Bool
    ) throws(ICONKeystoreError) -> Bytes {
        let length = AES128CTR.counterLength
        let iv = try bytes(
            crypto.member("cipherparams")?.member("iv"), count: (isConfirmed ? 0 : length)...length,
            "crypto.cipherparams.iv")
        return Bytes(repeating: 0, count: length - iv.count) + iv
    }

    private static func bytes(
        _ value: JSON?, count: ClosedRange<Int>, _ name: String
    ) throws(ICONKeystoreError) -> Bytes {
        guard let text = value?.stringValue,
            let bytes = Hex.decode(text.hasPrefix("0x") ? text.dropFirst(2) : text[...]),
            count.contains(bytes.count)
        else { throw .field(name) }
        return bytes
    }

    private static func number(
        _ value: JSON?, _ name: String
    ) throws(ICONKeystoreError) -> Int {
        guard let number = value?.intValue, number >= 0 else { throw .field(name) }
        return Int(number)
    }
}

extension JSON {
    /// The value of a name, which some programs spell with capitals (`Crypto`).
    fileprivate func member(_ name: String) -> JSON? {
        if let exact = self[name] { return exact }
        guard case .object(let members) = self else { return nil }
        return members.first { Text.equal($0.name.lowercased(), name.lowercased()) }?.value
    }
}

/// Why a keystore file yields no key; an error never contains the password or the key.
package enum ICONKeystoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file is larger than any keystore.
    case tooLarge(Int)
    /// The file is not JSON; the offset of the first wrong byte.
    case notJSON(offset: Int)
    /// A field is missing or has the wrong form.
    case field(String)
    /// The file needs an unsupported version, cipher or key derivation.
    case unsupported(String)
    /// The key derivation's parameters are impossible, or too expensive.
    case keyDerivation(KeyDerivationError)
    /// The password is wrong, or ciphertext or mac are damaged: the format can't tell them apart.
    case wrongPassword
    /// The decrypted bytes are not a private key.
    case notAKey
    /// The key does not belong to the address that the file names.
    case otherAddress

    /// The error as one line in lower case.
    package var description: String {
        switch self {
        case .tooLarge(let count): "a keystore file does not have \(count) bytes"
        case .notJSON(let offset): "the keystore file is not json at byte \(offset)"
        case .field(let name): "the keystore file has no valid \(name)"
        case .unsupported(let what): "the keystore file asks for \(what), which is not supported"
        case .keyDerivation(let error): error.description
        case .wrongPassword: "the password is wrong, or the keystore file is damaged"
        case .notAKey: "the keystore file holds no private key"
        case .otherAddress: "the key does not belong to the address in the keystore file"
        }
    }
}
