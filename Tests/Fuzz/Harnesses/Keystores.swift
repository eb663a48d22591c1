import DaybookChains
import DaybookCrypto
import DaybookEncoding
@testable import DaybookSigner

extension Harness {
    /// Files of keys from elsewhere: sealed ones, ICON's, and keys and words as text.
    ///
    /// The first byte says which; sealed files also come with their checksum put right. No more
    /// than a thousandth of what a key derivation may cost is ever done.
    static let keystores = Harness(
        "keystores", longest: 1024,
        words: [
            "kdaybook key", "fwallet", "echain", "gnetwork", "inetworkID", "ipublicKey",
            "haccounts", "fnumber", "ebip32", "ebip44", "hcoinType", "ckdf", "fscrypt", "an", "ar",
            "ap", "dsalt", "fcipher",
            "qchacha20-poly1305", "enonce", "echeck", "\"version\":3", "\"crypto\":{",
            "\"cipher\":\"aes-128-ctr\"", "\"cipherparams\":{\"iv\":\"", "\"ciphertext\":\"",
            "\"mac\":\"", "\"kdf\":\"pbkdf2\"", "\"kdf\":\"scrypt\"", "\"kdfparams\":{",
            "\"dklen\":32", "\"salt\":\"", "\"prf\":\"hmac-sha256\"", "\"c\":1",
            "\"coinType\":\"icx\"", "abandon ", "zoo ",
        ]
    ) { bytes in
        guard let first = bytes.first else { return }
        let rest = Bytes(bytes.dropFirst())
        switch first % 5 {
        case 0: try checkSealed(rest)
        case 1: try checkSealed(resealed(rest))
        case 2: try checkICON(rest)
        case 3: try checkText(rest)
        default:
            let secret = SecretBytes(copying: rest)
            guard let wallet = WalletSecret(decoding: secret) else { return }
            try law("a secret has one spelling", wallet.encoded().matches(secret))
        }
    }

    /// Public keys by which wallets are watched, with their origins and descriptors.
    static let watchedKeys = Harness(
        "watched-keys", longest: 1024,
        words: [
            "xpub", "tpub", "pkh(", "[73c5da0a", "/44'", "/5h", "/0H", "]", "/0/*", "/<0;1>/*",
            ")#", "02", "03",
        ]
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        for (chain, network) in [
            (Chain.dash, Network.mainnet), (.dash, .testnet), (.axe, .mainnet), (.icon, .mainnet),
        ] {
            let material: PublicMaterial
            do throws(WatchedKeyError) {
                material = try WatchedKey.material(
                    of: text, chain: chain, network: network, networkID: nil)
            } catch {
                let sentence = error.description
                try law("a refusal is a sentence", (20...500).contains(sentence.utf8.count))
                continue
            }
            try law("what is kept is read again", PublicMaterial(material.coded) == material)
            let again = try WatchedKey.material(
                of: WatchedKey.text(of: material), chain: chain, network: network, networkID: nil)
            try law("a wallet says what it is watched by", again.sharesKeys(with: material))
            let fingerprints = (material.masterFingerprint, again.masterFingerprint)
            try law("the fingerprint stays", fingerprints.0 == fingerprints.1)
            if chain == .icon { continue }
            let all = OutputDescriptor.all(of: material).map(\.text).joined(separator: "\n")
            if material.masterFingerprint != 0 || !all.contains("\n") {
                let exported = try WatchedKey.material(
                    of: all, chain: chain, network: network, networkID: nil,
                    coinType: material.coinType)
                try law("descriptors say all of a wallet", exported == material)
            }
        }
    }

    private static let cheap = Scrypt.Limits(memoryBytes: 1 << 18, work: 1 << 8)

    private static func checkSealed(_ bytes: Bytes) throws {
        guard let file = try? SealedFile.decode(bytes) else { return }
        try law("a sealed file has one spelling", file.encoded() == bytes)
    }

    /// The first four parts of a sealed file with their checksum behind them.
    private static func resealed(_ bytes: Bytes) -> Bytes {
        guard let parts = (try? CBOR.decode(bytes))?.arrayValue else { return bytes }
        let four = Array(parts.prefix(4))
        let checksum = SHA256.hash(CBOR.array(four).encoded())
        return CBOR.array(four + [.bytes(checksum)]).encoded()
    }

    private static func checkICON(_ bytes: Bytes) throws {
        guard let file = try? ICONKeystoreFile(bytes) else { return }
        if case .pbkdf2(let iterations, _) = file.derivation, iterations > 2_000 { return }
        let password = SecretBytes(copying: Bytes("Pa55w0rd!".utf8))
        guard let secret = try? file.unlock(password: password, limits: cheap),
            case .key(let single) = secret, let address = file.address
        else { return }
        try law("the key is the address's", ICONAddress(single.key.publicKey) == address)
    }

    private static func checkText(_ bytes: Bytes) throws {
        let text = SecretBytes(copying: bytes)
        if let mnemonic = try? Mnemonic(parsing: text) {
            let again = try Mnemonic(parsing: mnemonic.words())
            try law("words stand for one entropy", again.entropy.matches(mnemonic.entropy))
        }
        if let secret = try? WalletSecret.hexadecimal(text) {
            try checkSecret(secret)
        }
        for chain in [Chain.dash, .axe] {
            guard let parameters = UTXOParameters.of(chain, .mainnet),
                let secret = try? WalletSecret.wif(text, parameters)
            else { continue }
            try checkSecret(secret)
        }
    }

    private static func checkSecret(_ secret: borrowing WalletSecret) throws {
        let coded = secret.encoded()
        guard let again = WalletSecret(decoding: coded) else {
            throw BrokenLaw(description: "what can be sealed can be opened")
        }
        try law("a key is sealed without loss", again.encoded().matches(coded))
    }
}

extension PublicMaterial {
    /// The coin type of the first account.
    fileprivate var coinType: UInt32? {
        guard case .accounts(let accounts) = keys else { return nil }
        return accounts.first?.coinType
    }
}
