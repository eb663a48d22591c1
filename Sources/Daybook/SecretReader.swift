import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookSigner
import DaybookSystem

/// Reads or generates a wallet's secret, and holds new words until they are shown.
struct SecretReader: ~Copyable {
    var secret: WalletSecret
    private var words: SecretBytes?
    /// The address of the same words at ICON's other derivation path.
    var otherAddress: String?
    /// Whether the words may be Electrum's too.
    var mayBeElectrum = false

    mutating func takeWords() -> SecretBytes? { words.take() }
}

extension SecretReader {
    /// Reads or generates a secret; `coinType` chooses one of ICON's two derivation paths.
    static func read(
        _ source: consuming WalletSource, _ chain: Chain, _ network: Network, coinType: UInt32?
    ) throws(DaybookError) -> SecretReader {
        do {
            let reader = try SecretReader(source, chain, network)
            return chain.rules.keys == .single ? try reader.withICONKey(coinType) : reader
        } catch {
            throw DaybookError.from(error)
        }
    }

    /// Replaces words by the key that ICON's wallets derive from them.
    private consuming func withICONKey(_ coinType: UInt32?) throws -> SecretReader {
        if secret.iconAddress != nil { return self }
        let coinTypes = DerivationPath.iconCoinTypes
        let chosen = coinType ?? coinTypes[0]
        guard let other = coinTypes.first(where: { $0 != chosen }),
            let key = try secret.iconKey(coinType: chosen)
        else {
            throw DaybookError("invalidWallet", .usage, "ICON's coin types are 74 and 4801368")
        }
        let address = try secret.iconKey(coinType: other)?.iconAddress
        return SecretReader(secret: key, words: words, otherAddress: address)
    }

    private init(_ source: consuming WalletSource, _ chain: Chain, _ network: Network) throws {
        switch consume source {
        case .new:
            try self.init(newWords: chain.rules.keys == .derived)
        case .newWords:
            try self.init(newWords: true)
        case .mnemonic(let text):
            try self.init(words: text, nil)
        case .protectedMnemonic(let text, let passphrase):
            try self.init(words: text, passphrase)
        case .wif(let text):
            guard let parameters = UTXOParameters.of(chain, network) else {
                throw DaybookError("wrongChain", .usage, "an ICON key has no WIF")
            }
            do {
                self.init(secret: try .wif(text.secret, parameters), words: nil)
            } catch {
                throw DaybookError("invalidKey", .usage, error.description)
            }
        case .hexKey(let text):
            do {
                self.init(secret: try .hexadecimal(text.secret), words: nil)
            } catch {
                throw DaybookError("invalidKey", .usage, error.description)
            }
        case .keystore(let file, let password):
            try self.init(keystore: file, password)
        }
    }

    private init(
        words text: borrowing Passphrase, _ passphrase: consuming Passphrase?
    ) throws(DaybookError) {
        do throws(MnemonicError) {
            var mnemonic = try Mnemonic(parsing: text.secret)
            if let passphrase { mnemonic = try mnemonic.with(passphrase: passphrase.secret) }
            self.init(secret: .mnemonic(mnemonic), words: nil)
            mayBeElectrum = Mnemonic.mayBeElectrum(text.secret)
        } catch {
            switch error {
            case .passphrase, .passphraseCharacter, .passphraseLength:
                throw DaybookError("passphraseUntypable", .usage, error.description)
            case .entropyLength, .textLength, .text, .wordCount, .unknownWord, .checksum, .electrum:
                throw DaybookError("invalidMnemonic", .usage, error.description)
            }
        }
    }

    private init(newWords: Bool) throws {
        var entropy = try Entropy.bytes(newWords ? 16 : 32)
        let secret = SecretBytes(wiping: &entropy)
        if newWords {
            let mnemonic = try Mnemonic(entropy: secret)
            let words = mnemonic.words()
            self.init(secret: .mnemonic(mnemonic), words: words)
            return
        }
        guard let key = PrivateKey(secret) else {
            // Happens once in 2^128.
            throw DaybookError("entropyFailed", .store, "the entropy makes no key; try again")
        }
        self.init(secret: .key(SingleKey(key)), words: nil)
    }

    private init(keystore file: Bytes, _ password: borrowing Passphrase) throws {
        do {
            let keystore = try ICONKeystoreFile(file)
            self.init(secret: try keystore.unlock(password: password.secret), words: nil)
        } catch .wrongPassword {
            throw DaybookError(
                "wrongPassphrase", .passphrase, "the keystore file's password is wrong")
        } catch {
            throw DaybookError("invalidKeystore", .usage, error.description)
        }
    }
}
