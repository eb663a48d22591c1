package import DaybookChains
package import DaybookCrypto
package import DaybookEncoding

/// Signs transactions whose terms were shown, and nothing else.
///
/// A signer trusts neither the log nor a node. It has the wallet's unlocked keys; each call passes
/// the terms that the user saw, the unsigned transaction and the transactions that made its inputs.
/// The signer derives the keys and the change address, compares everything with the terms, and
/// computes the digests itself. No unlocked key leaves this module, and no function signs a
/// digest. For example:
///
///     let signer = try keystore.unlock(name: fingerprint, passphrase: passphrase)
///     let signatures = try signer.sign(payment, under: terms)
package struct Signer: ~Copyable, Sendable {
    /// Used only in this folder.
    let keys: UnlockedKeys
    /// The wallet's chain, network and public keys, from its sealed file.
    package let material: PublicMaterial

    init(_ keys: consuming UnlockedKeys, _ material: PublicMaterial) {
        self.keys = keys
        self.material = material
    }

    /// A signer with an unsealed secret; nil once in 2^127, for a mnemonic without a master key.
    package init?(_ secret: consuming WalletSecret, _ material: PublicMaterial) {
        guard let keys = UnlockedKeys(secret) else { return nil }
        self.init(keys, material)
    }

    /// A signer with the keys below a master key.
    package init(master: consuming ExtendedPrivateKey, _ material: PublicMaterial) {
        self.init(UnlockedKeys(master: master), material)
    }

    /// The key at a path; throws `SigningRefusal.noKey` if the wallet has none there.
    func key(at path: DerivationPath) throws(SigningRefusal) -> PrivateKey {
        do throws(KeystoreError) {
            return try keys.key(at: path)
        } catch {
            throw .noKey(at: path.text)
        }
    }
}

extension Signer {
    /// Exports the wallet's key as a keystore file of ICON's wallets, under its own password.
    ///
    /// `random` is 48 fresh random bytes. Throws `noKey` for a wallet with a mnemonic, which an
    /// ICON wallet never has.
    package func keystoreFile(
        password: borrowing SecretBytes, random: Bytes
    ) throws(KeystoreError) -> Bytes {
        let key = try keys.key(at: .master)
        do throws(ICONKeystoreError) {
            return try ICONKeystoreFile.sealing(
                key, password: password, salt: Bytes(random[..<16]),
                counter: Bytes(random[16..<32]), id: Bytes(random[32..<48]))
        } catch {
            throw .keyDerivation
        }
    }
}

/// The unlocked keys of a wallet. Other modules see only `Signer`.
struct UnlockedKeys: ~Copyable, Sendable {
    private let keys: Keys

    private enum Keys: ~Copyable, Sendable {
        case tree(ExtendedPrivateKey)
        case single(SingleKey)
    }

    /// The keys of a secret; nil once in 2^127, for a mnemonic without a master key.
    init?(_ secret: consuming WalletSecret) {
        switch consume secret {
        case .key(let single):
            keys = .single(single)
        case .mnemonic(let mnemonic):
            guard let seed = try? mnemonic.seed(), let master = ExtendedPrivateKey(seed: seed)
            else { return nil }
            keys = .tree(master)
        }
    }

    /// The keys below a master key.
    init(master: consuming ExtendedPrivateKey) {
        keys = .tree(master)
    }

    /// A copy of the key at a path; a single key is at the path `m`.
    func key(at path: DerivationPath) throws(KeystoreError) -> PrivateKey {
        switch keys {
        case .single(let single):
            guard path == .master else { throw .noKey(at: path.text) }
            return single.key.copy()
        case .tree(let master):
            guard let descendant = master.descendant(path) else { throw .noKey(at: path.text) }
            return descendant.key.copy()
        }
    }

    /// The public key at a path.
    func publicKey(at path: DerivationPath) throws(KeystoreError) -> PublicKey {
        publicKey(of: try key(at: path))
    }

    /// The public key of a key from `key(at:)`; that of a single key is already known.
    func publicKey(of key: borrowing PrivateKey) -> PublicKey {
        switch keys {
        case .single(let single): single.publicKey
        case .tree: key.publicKey
        }
    }
}

/// Why the signer refused: the transaction differs from the terms, or can't be checked.
package enum SigningRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    /// The terms are for another chain or network than the wallet's.
    case wrongNetwork
    /// The transaction is not an ordinary one with inputs and outputs.
    case malformed
    /// This input spends the same output as an earlier one.
    case repeatedInput(Int)
    /// The transaction that made this input's coin was not supplied.
    case previousMissing(input: Int)
    /// This input's coin does not belong to the key at its path.
    case foreignInput(Int)
    /// It spends other coins than those that were named and shown.
    case otherCoins
    /// No output pays the shown amount to the recipient.
    case recipientMissing
    /// This output pays neither the recipient nor a change address of the wallet.
    case foreignOutput(Int)
    /// This output is change that a restored wallet may not find, and was not shown.
    case farChange(Int)
    /// The outputs are worth more than the inputs.
    case overspent
    /// The fee is higher than the shown one.
    case feeTooHigh(fee: UInt64, highest: UInt64)
    /// A parameter of an ICON transaction differs from the shown one.
    case parameterChanged(String)
    /// The timestamp of an ICON transaction differs from the time of its approval.
    case wrongTime(UInt64)
    /// The wallet has no such key.
    case noKey(at: String)

    /// The error as one line in lower case.
    package var description: String {
        switch self {
        case .wrongNetwork: "the terms are of another chain or network than the wallet"
        case .malformed: "the transaction is not an ordinary one"
        case .repeatedInput(let input): "input \(input) spends the coin of an earlier one"
        case .previousMissing(let input):
            "the transaction that made the coin of input \(input) is missing"
        case .foreignInput(let input): "the coin of input \(input) is not of this wallet's key"
        case .otherCoins: "the transaction spends other coins than those that were shown"
        case .recipientMissing: "the transaction does not pay what was shown"
        case .foreignOutput(let output): "output \(output) pays somebody who was not shown"
        case .farChange(let output):
            "output \(output) is change that a restored wallet may not find, and was not shown"
        case .overspent: "the transaction pays more than it spends"
        case .feeTooHigh(let fee, let highest): "the fee is \(fee) duffs, \(highest) were shown"
        case .parameterChanged(let name): "the parameter \(name) is not the one that was shown"
        case .wrongTime(let time): "the timestamp \(time) is not the time of the approval"
        case .noKey(let path): "the wallet has no key at \(path)"
        }
    }
}
