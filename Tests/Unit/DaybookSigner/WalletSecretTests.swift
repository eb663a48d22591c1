import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookSigner

@Suite struct WalletSecretTests {
    struct File: Decodable {
        struct Key: Decodable { let chain, network, path, address, wif: String }
        let words, seed, xprv: String
        let keys: [Key]
    }

    let file: File

    init() throws {
        file = try Fixture.load("keys/nodes.json", as: File.self)
    }

    @Test func `seed and master key are those of the nodes`() throws {
        let seed = try Mnemonic(parsing: secret(file.words)).seed()
        #expect(seed.plain() == Hex.decode(file.seed))
        let xprv = ExtendedPrivateKey(seed: seed)?.xprv(.main)
        #expect(xprv == file.xprv)
    }

    @Test func `addresses and keys in import format are those of the nodes`() throws {
        #expect(file.keys.count == 12)
        for expected in file.keys {
            let parameters = try parameters(expected)
            let path = try #require(DerivationPath(expected.path))
            let wallet = UnlockedKeys(.mnemonic(try Mnemonic(parsing: secret(file.words))))!
            let publicKey = try wallet.publicKey(at: path)
            #expect(UTXOAddress(publicKey, parameters).text == expected.address)
            let key = ExtendedPrivateKey(seed: try Mnemonic(parsing: secret(file.words)).seed())?
                .descendant(path)?.key.plain()
            #expect(Base58Check.encode([parameters.wifVersion] + key! + [1]) == expected.wif)
            let imported = UnlockedKeys(try .wif(secret(expected.wif), parameters))!
            let importedKey = try imported.publicKey(at: .master)
            #expect(importedKey == publicKey)
        }
    }

    @Test func `public material holds both extended keys of each account`() throws {
        for expected in file.keys {
            let parameters = try parameters(expected)
            let path = try #require(DerivationPath(expected.path))
            let coinType = path.components[1] & ~DerivationPath.hardened
            let material = try #require(
                try material(parameters.chain, parameters.network, coinType, [0, 7])
                    as PublicMaterial?)
            guard case .accounts(let accounts) = material.keys else {
                Issue.record("words have accounts")
                return
            }
            #expect(accounts.map(\.number) == [0, 7])
            #expect(accounts.map(\.coinType) == [coinType, coinType])
            let account = try #require(ExtendedPublicKey(accounts[0].bip44))
            let child = account.descendant(path.components[3], path.components[4])
            #expect(UTXOAddress(child!.publicKey, parameters).text == expected.address)
            #expect(account.depth == 3)
            let legacy = try #require(ExtendedPublicKey(accounts[1].bip32))
            #expect(legacy.depth == 1)
            #expect(legacy.childNumber == 7 | DerivationPath.hardened)
            #expect(legacy.format == parameters.format)
        }
    }

    @Test func `the coin type is the chain's unless another of its own is chosen`() throws {
        func coinType(_ chain: Chain, _ network: Network, _ chosen: UInt32?) throws -> UInt32? {
            guard case .accounts(let accounts)? = try material(chain, network, chosen, [0])?.keys
            else { return nil }
            return accounts[0].coinType
        }
        #expect(try coinType(.dash, .mainnet, nil) == 5)
        #expect(try coinType(.axe, .sandbox, nil) == 5)
        #expect(try coinType(.axe, .mainnet, 4242) == 4242)
        #expect(try coinType(.dash, .mainnet, 4242) == nil)
        #expect(try coinType(.axe, .testnet, nil) == 1)
        #expect(try coinType(.axe, .regtest, 4242) == nil)
    }

    @Test func `words make no wallet on ICON, and no account has 32 bits`() throws {
        #expect(try material(.icon, .sandbox, nil, [0]) == nil)
        #expect(try material(.dash, .sandbox, nil, []) == nil)
        #expect(try material(.dash, .sandbox, nil, [0x8000_0000]) == nil)
    }

    /// Keys and addresses of IIP-48's two paths, as iconsdk 2.6.0 gives them from the key.
    @Test(arguments: [
        (
            String(repeating: "abandon ", count: 11) + "about", UInt32(74),
            "eeb91671f8b48097332d7b3fb307a6653e3a01ea7c06c558af53e9e803fbfdca",
            "hx8e825d342f8dd76af9dba2f53464c9781833d39f"
        ),
        (
            String(repeating: "abandon ", count: 11) + "about", 4_801_368,
            "1a2d95052f929373bd6c0fe450a7c2bb7d4b2c3f6457286746c2207647213fce",
            "hx539a34acbe7d2cc23a5c2ffa465b5ff1d0a22ce7"
        ),
        (
            "legal winner thank year wave sausage worth useful legal winner thank yellow", 74,
            "290c675abaa121eb95c76231b8f06cfb83b11fe54dd64889d3743fbe581a897a",
            "hx4df561cda66e9f590beec10370e808ac56a03602"
        ),
        (
            "legal winner thank year wave sausage worth useful legal winner thank yellow",
            4_801_368, "9e67e9bf1f85ce39bfbb0d137ce3693960446493e94de759601495d101ff1561",
            "hx6ab5596d3f665ed507cdffc0567f5c96698eb2b6"
        ),
    ])
    func `words have the ICON key of other wallets`(
        words: String, coinType: UInt32, key: String, address: String
    ) throws {
        let mnemonic = WalletSecret.mnemonic(try Mnemonic(parsing: secret(words)))
        let derived = try mnemonic.iconKey(coinType: coinType)!
        let sealed = derived.encoded().plain()
        #expect(Hex.encode(sealed.dropFirst()) == key)
        #expect(derived.iconAddress == address)
        let none = try mnemonic.iconKey(coinType: 60) == nil
        #expect(none)
    }

    @Test func `the fingerprint tells chains, networks and coin types apart`() throws {
        let fingerprints = [
            try material(.dash, .sandbox, nil, [0])?.fingerprint,
            try material(.dash, .mainnet, nil, [0])?.fingerprint,
            try material(.axe, .sandbox, nil, [0])?.fingerprint,
            try material(.axe, .sandbox, 4242, [0])?.fingerprint,
        ]
        #expect(Set(fingerprints).count == 4)
        #expect(fingerprints.allSatisfy { $0?.count == 32 })
        #expect(try material(.dash, .sandbox, nil, [0, 1])?.fingerprint != fingerprints[0])
    }

    @Test func `a single key's material is its public key and its form`() throws {
        let hex = String(repeating: "0", count: 63) + "1"
        let compressed = try WalletSecret.hexadecimal(secret(hex)).publicMaterial(.icon, .sandbox)
        let expected = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
        #expect(
            compressed?.keys == PublicMaterial.Keys.single(publicKey: Hex.decode(expected)!))
        let key = PrivateKey(secret(hex: hex))!
        let other = try WalletSecret.key(SingleKey(key, isCompressed: false))
            .publicMaterial(.icon, .sandbox)
        let long = PrivateKey(secret(hex: hex))!.publicKey.uncompressed
        #expect(other?.keys == PublicMaterial.Keys.single(publicKey: long))
        #expect(other?.fingerprint != compressed?.fingerprint)
    }

    @Test func `a sealed secret names its kind, and nothing else is read`() throws {
        let words = WalletSecret.mnemonic(try Mnemonic(parsing: secret(file.words)))
        #expect(words.encoded().plain() == [1] + Bytes(repeating: 0, count: 16))
        for bytes in [
            [], [1], [0] + Bytes(repeating: 1, count: 32), [1] + Bytes(repeating: 1, count: 17),
            [2] + Bytes(repeating: 0, count: 32), [3] + Bytes(repeating: 1, count: 31),
            [4] + Bytes(repeating: 1, count: 32),
        ] {
            let isSecret = WalletSecret(decoding: SecretBytes(copying: bytes)) != nil
            #expect(!isSecret)
        }
    }

    private func parameters(_ key: File.Key) throws -> UTXOParameters {
        try #require(
            UTXOParameters.of(Chain(rawValue: key.chain)!, Network(rawValue: key.network)!))
    }

    private func material(
        _ chain: Chain, _ network: Network, _ coinType: UInt32?, _ accounts: [UInt32]
    ) throws -> PublicMaterial? {
        try WalletSecret.mnemonic(try Mnemonic(parsing: secret(file.words)))
            .publicMaterial(chain, network, coinType: coinType, accounts: accounts)
    }
}
