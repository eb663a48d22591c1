import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookSigner

/// Signing requests of the wallets that every test uses, and what came of signing them.
struct OfflineScene {
    static let recipient = "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"
    static let icon = "hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e"

    static func mnemonic() throws -> WalletSecret {
        .mnemonic(try Mnemonic(parsing: secret(KeystoreTests.words)))
    }

    static func dash() throws -> PublicMaterial {
        try #require(try mnemonic().publicMaterial(.dash, .mainnet))
    }

    static func key() throws -> SingleKey {
        let bytes = Hex.decode(String(repeating: "0", count: 63) + "1")!
        return SingleKey(PrivateKey(SecretBytes(copying: bytes))!)
    }

    static func iconMaterial() throws -> PublicMaterial {
        PublicMaterial(
            chain: .icon, network: .sandbox, networkID: 3,
            keys: .single(publicKey: try key().key.publicKey.compressed))
    }

    static func signer(of material: PublicMaterial) throws -> Signer {
        let secret = material.chain == .icon ? .key(try key()) : try mnemonic()
        return Signer(UnlockedKeys(secret)!, material)
    }

    /// A payment of 5 coins out of two, with change, as the watching machine writes it.
    static func payment() throws -> PSBT {
        let material = try dash()
        let paths = ["m/44'/5'/0'/0/3", "m/44'/5'/0'/1/2"].map { DerivationPath($0)! }
        let foreign = Script.p2pkh(Bytes(repeating: 7, count: 20)).bytes
        let previous = paths.enumerated().map { index, path in
            UTXOTransaction(
                inputs: [.init(Outpoint(.zero, UInt32(index)))],
                outputs: [
                    .init(amount: 1, script: foreign),
                    .init(amount: 300_000_000, script: material.script(at: path)!),
                ])
        }
        let changePath = DerivationPath("m/44'/5'/0'/1/5")!
        var psbt = PSBT(
            UTXOTransaction(
                inputs: previous.map { .init(Outpoint($0.txid, 1)) },
                outputs: [
                    .init(amount: 99_999_000, script: material.script(at: changePath)!),
                    .init(
                        amount: 500_000_000,
                        script: UTXOAddress(recipient, chain: .dash)!.scriptPubKey),
                ]))
        psbt.setChainID(ChainID(.dash, .mainnet))
        for (index, path) in paths.enumerated() {
            psbt.add(previous: previous[index].serialized(), ofInput: index)
            psbt.add(origin(path), of: material.publicKey(at: path)!, ofInput: index)
        }
        psbt.add(origin(changePath), of: material.publicKey(at: changePath)!, ofOutput: 0)
        return psbt
    }

    static func origin(_ path: DerivationPath) -> KeyOrigin {
        KeyOrigin(masterFingerprint: 0x0102_0304, path: path)
    }

    static func transaction() throws -> ICONTransaction {
        try ICONTransaction(
            params: .record([
                "version": .string("0x3"),
                "from": .string(ICONAddress(try key().key.publicKey).text),
                "to": .string(icon), "value": .string("0xde0b6b3a7640000"),
                "stepLimit": .string("0x186a0"), "timestamp": .string("0x563a6cf330136"),
                "nid": .string("0x3"), "nonce": .string("0x1"), "dataType": .string("message"),
                "data": .string("0x616263"),
            ]))
    }

    /// The terms that a file comes to, and the file with the signatures made under them.
    static func signed(
        _ content: Bytes, _ material: PublicMaterial
    ) throws -> (terms: Terms, request: SigningRequest) {
        let request = try SigningRequest(file: content)
        let terms = try request.terms(for: material)
        return (terms, try request.signed(under: terms, by: try signer(of: material)))
    }
}
