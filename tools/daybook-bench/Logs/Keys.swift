import Daybook
import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookSigner
import TestSupport

/// The keys of a generated log's wallets, derived from its seed.
final class Keys {
    /// The passphrase of all wallets in a generated store.
    static let passphrase = "daybook-bench"

    /// A wallet to add: its chain and its secret.
    struct Seed {
        let chain: Chain
        let label: String
        let entropy: Bytes
    }

    let seeds: [Seed]
    /// A cache of keys by the first part of their path, which is the slowest to derive.
    private var branches: [String: Branch] = [:]

    private final class Branch {
        let key: ExtendedPrivateKey

        init(_ key: consuming ExtendedPrivateKey) { self.key = key }
    }

    init(_ random: inout Seeded) {
        let wallets: [(Chain, String, Int)] = [
            (.dash, "household", 16), (.dash, "savings", 16), (.axe, "shop", 16),
            (.icon, "exchange", 32), (.icon, "games", 32),
        ]
        seeds = wallets.map { chain, label, length in
            var entropy = random.bytes(length)
            // A number with a leading zero byte is below the group's order.
            entropy[0] = 0
            return Seed(chain: chain, label: label, entropy: entropy)
        }
    }

    /// Signs a digest with the key at a path of the wallet with a label.
    func sign(_ digest: Bytes, at path: DerivationPath, of label: String) throws -> Bytes {
        guard let seed = seeds.first(where: { $0.label == label }) else {
            throw LogWriteError("there is no wallet '\(label)'")
        }
        let signature: Bytes?
        if seed.chain.rules.ledger == .accounts {
            signature = PrivateKey(SecretBytes(copying: seed.entropy))?
                .signRecoverable(digest: digest)?.bytes
        } else {
            let branch = try branch(of: seed, path.components.dropLast())
            signature = branch.key.child(path.components.last ?? 0)?.key
                .sign(digest: digest)?.compact
        }
        guard let signature else { throw LogWriteError("no key of '\(label)' is at \(path.text)") }
        return signature
    }

    private func branch(of seed: Seed, _ components: ArraySlice<UInt32>) throws -> Branch {
        let name = "\(seed.label) \(components)"
        if let known = branches[name] { return known }
        let words = try Mnemonic(entropy: SecretBytes(copying: seed.entropy))
        guard let master = ExtendedPrivateKey(seed: try words.seed()),
            let path = DerivationPath(Array(components)), let key = master.descendant(path)
        else { throw LogWriteError("the words of '\(seed.label)' have no such key") }
        let branch = Branch(key)
        branches[name] = branch
        return branch
    }

    /// The source of a wallet's secret.
    static func source(_ seed: Seed) throws -> WalletSource {
        if seed.chain.rules.ledger == .accounts {
            var digits = Bytes(Hex.encode(seed.entropy).utf8)
            return .hexKey(Passphrase(wiping: &digits))
        }
        let words = try Mnemonic(entropy: SecretBytes(copying: seed.entropy)).words()
        var text = words.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        return .mnemonic(Passphrase(wiping: &text))
    }
}

/// Why a log could not be made.
struct LogWriteError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
