import Daybook
import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookSigner

/// Somebody with a wallet on each chain: the user, or the attacker in his place.
///
/// Everything here follows from the secrets themselves, past all code that is under test.
struct Owner: Sendable {
    let words: String
    let keys: [Chain: String]
    let network: Network
    /// Scripts of Dash and Axe, and the path of each one's key.
    private(set) var scripts: [Chain: [Bytes: DerivationPath]] = [:]
    /// Addresses and extended public keys, as text.
    private(set) var names: Set<String> = []
    private(set) var icon: ICONAddress

    static func user(_ network: Network) throws -> Owner {
        try Owner(
            words: Array(repeating: "abandon", count: 11).joined(separator: " ") + " about",
            seed: 1, network)
    }

    static func attacker(_ network: Network) throws -> Owner {
        try Owner(
            words: "legal winner thank year wave sausage worth useful legal winner thank yellow",
            seed: 7, network)
    }

    /// How many addresses of each branch are known to be the owner's.
    private static let addresses: UInt32 = 80

    private init(words: String, seed: Int, _ network: Network) throws {
        func key(_ number: Int) -> String {
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 64 - digits.count) + digits
        }
        self.words = words
        keys = [.axe: key(seed + 1), .icon: key(seed)]
        self.network = network
        icon = ICONAddress(try Self.single(key(seed)).publicKey)
        names.insert(icon.text)
        guard let dash = UTXOParameters.of(.dash, network),
            let axe = UTXOParameters.of(.axe, network)
        else { throw Unusable("no parameters") }
        add(UTXOAddress(try Self.single(key(seed + 1)).publicKey, axe), .axe, .master)
        let master = try master()
        let standard = DerivationPath.account(0, coinType: dash.coinType)
        for path in [DerivationPath.legacyAccount] + (standard.map { [$0] } ?? []) {
            guard let account = master.descendant(path)?.publicKey(dash.format) else {
                throw Unusable("no account")
            }
            names.insert(account.text)
            for branch: UInt32 in 0..<2 {
                for index in 0..<Self.addresses {
                    guard let key = account.descendant(branch, index)?.publicKey,
                        let place = path.child(branch)?.child(index)
                    else { continue }
                    add(UTXOAddress(key, dash), .dash, place)
                }
            }
        }
    }

    private mutating func add(_ address: UTXOAddress, _ chain: Chain, _ path: DerivationPath) {
        scripts[chain, default: [:]][address.scriptPubKey] = path
        names.insert(address.text)
    }

    /// Adds the wallets to a store.
    func addWallets(to store: Store) async throws {
        let name = NetworkName(rawValue: network.rawValue) ?? .sandbox
        for chain in ChainName.allCases {
            let source: WalletSource =
                switch chain {
                case .dash: .mnemonic(Computer.secret(words))
                case .axe: .hexKey(Computer.secret(keys[.axe] ?? ""))
                case .icon: .hexKey(Computer.secret(keys[.icon] ?? ""))
                }
            _ = try await store.addWallet(
                source, chain: chain, network: name, label: "my \(chain.rawValue)",
                sealedBy: Computer.secret(Computer.passphrase))
        }
    }

    /// The key of a path, for the controls, which sign unchecked transactions.
    func key(_ chain: Chain, at path: DerivationPath) throws -> PrivateKey {
        if chain != .dash { return try Self.single(keys[chain] ?? "") }
        guard let key = try master().descendant(path)?.key.copy() else { throw Unusable("no key") }
        return key
    }

    private func master() throws -> ExtendedPrivateKey {
        let mnemonic = try Mnemonic(parsing: SecretBytes(copying: Bytes(words.utf8)))
        guard let master = ExtendedPrivateKey(seed: try mnemonic.seed()) else {
            throw Unusable("no master key")
        }
        return master
    }

    private static func single(_ digits: String) throws -> PrivateKey {
        guard let key = PrivateKey(SecretBytes(copying: Hex.decode(digits) ?? [])) else {
            throw Unusable("no key")
        }
        return key
    }
}
