import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookSigner
import Foundation
import Testing
import TestSupport

@testable import Daybook

/// A wallet whose key is in one store, and which another store only watches.
struct OfflineSigningTests {
    private let hotStore: TemporaryStore
    private let coldStore: TemporaryStore
    private let hot: Store
    private let cold: Store

    init() throws {
        hotStore = try TemporaryStore()
        coldStore = try TemporaryStore()
        hot = try hotStore.open()
        cold = try coldStore.open()
    }

    /// The wallet in both stores, with coins.
    private func watched(_ chain: ChainName) async throws -> Wallet {
        let own = try await cold.addTestWallet(chain)
        let key = try await cold.watchKey(of: own.id)
        let wallet = try await hot.watchWallet(key, chain: chain, label: "cold")
        #expect(wallet.address == own.address)
        #expect(wallet.problem == nil)
        let amount: MinorAmount = chain == .icon ? "10000000000000000000" : "1000000000"
        _ = try await hot.fundFromFaucet(wallet.id, amount: amount)
        if chain == .icon {
            _ = try await hot.fundFromFaucet(wallet.id, amount: "5000", token: true)
        }
        try await hot.mine(6)
        return wallet
    }

    private func signingRequest(_ id: RequestID) async throws -> [UInt8] {
        try await hot.signingRequest(for: id, shown: try await hot.prompt(for: id))
    }

    private func signed(_ file: [UInt8]) async throws -> [UInt8] {
        try await cold.sign(
            file, shown: try await cold.terms(of: file), unlockedBy: Passphrase("correct horse"))
    }

    private func take(_ file: [UInt8], for id: RequestID) async throws -> WalletRequest {
        try await hot.approve(id, shown: try await hot.prompt(for: id), signed: file)
    }

    /// The code of the error that `body` throws.
    private func code(_ body: () async throws -> Void) async -> String? {
        await errorCode(of: body)?.rawValue
    }

    @Test(arguments: Flow.all.filter { $0.name != "address" && $0.name != "bind" })
    func `one store's file is signed by another, and the first one sends it`(
        flow: Flow
    ) async throws {
        _ = try await watched(flow.chain)
        let request = try await hot.receive(flow.text)
        #expect(request.status == .pending)
        let count = try await hot.allRecords().count
        let file = try await signingRequest(request.id)
        #expect(try await hot.allRecords().count == count, "nothing is recorded")
        #expect(try await hot.request(request.id).status == .pending)

        let terms = try await cold.terms(of: file)
        let result = try await signed(file)
        #expect(await code { _ = try await take(file, for: request.id) } == "notSigned")
        let done = try await take(result, for: request.id)
        #expect(done.status == .completed || done.status == .sent, "\(done)")
        try await hot.mine(1)
        if let pays = flow.pays {
            #expect(try await flow.arrived(in: hot) == [pays])
            #expect(terms.prompt.lines.contains { $0.name == "minor" && $0.text == pays })
        }
        try await hot.expectCleanReplay()
        try await cold.expectCleanReplay()
    }

    @Test func `a payment for Axe is signed as one for Axe`() async throws {
        _ = try await watched(.axe)
        _ = try await cold.addTestWallet(.dash)
        let request = try await hot.receive("axewallet://pay=\(Flow.axe)&amount=1&sender=myapp")
        let file = try await signingRequest(request.id)
        let terms = try await cold.terms(of: file)
        #expect(terms.prompt.lines.contains { $0.text == Flow.axe })
        #expect(try await take(try await signed(file), for: request.id).status == .completed)
    }

    @Test func `a PSBT without our field is for the wallet that the user names`() async throws {
        let wallet = try await watched(.dash)
        let axe = try await cold.addTestWallet(.axe)
        let request = try await hot.receive(Flow.all[0].text)
        let psbt = try PSBT(file: try await signingRequest(request.id))
        var bare = PSBT(psbt.transaction)
        bare.inputs = psbt.inputs
        bare.outputs = psbt.outputs
        let file = Bytes(bare.base64.utf8)
        #expect(await code { _ = try await cold.terms(of: file) } == "wrongWallet")
        #expect(try await cold.terms(of: file, wallet: axe.id).wallet == axe.id)
        let own = try await cold.wallets()[0]
        let terms = try await cold.terms(of: file, wallet: own.id)
        let result = try await cold.sign(
            file, shown: terms, unlockedBy: Passphrase("correct horse"))
        #expect(try await take(result, for: request.id).status == .completed)
        #expect(try await hot.wallets().map(\.id) == [wallet.id])
    }

    @Test func `a PSBT is signed and taken back in any wrapping, and in version 2`() async throws {
        _ = try await watched(.dash)
        let cases: [(UInt64, Int)] = [(1, 0), (2, 2), (5, 2), (8, 0), (11, 2), (12, 0)]
        for (seed, version) in cases {
            let request = try await hot.receive(Flow.all[0].text + "&message=\(seed)")
            var file = try PSBT(file: try await signingRequest(request.id))
            if version == 2 { file = try PSBT(parsing: PSBTVersion2.bytes(of: file)) }
            let wrapped = PSBTWrapping.file(of: file.serialized(), seed: seed)
            let terms = try await cold.terms(of: wrapped)
            #expect(try await cold.terms(of: file.serialized()).prompt.lines == terms.prompt.lines)
            let result = try PSBT(file: try await signed(wrapped))
            let back = PSBTWrapping.file(of: result.serialized(), seed: seed + 100)
            #expect(try await take(back, for: request.id).status == .completed)
            try await hot.mine(1)
        }
        try await hot.expectCleanReplay()
    }

    @Test func `an ICON request is read with a mark and in UTF-16`() async throws {
        _ = try await watched(.icon)
        let flow = try #require(Flow.all.first { $0.name == "sendICX" })
        let request = try await hot.receive(flow.text)
        let file = try await signingRequest(request.id)
        let text = String(decoding: file, as: UTF8.self)
        let wide: [UInt8] = text.utf16.reduce(into: [0xff, 0xfe]) { bytes, unit in
            bytes += [UInt8(unit & 0xff), UInt8(unit >> 8)]
        }
        #expect(try await cold.terms(of: wide).prompt.lines == cold.terms(of: file).prompt.lines)
        let result = try await signed([0xef, 0xbb, 0xbf] + file)
        let done = try await take([0xef, 0xbb, 0xbf] + result, for: request.id)
        #expect(done.status == .completed)
    }

    @Test func `the origin of a watched key is kept, listed, exported and in PSBTs`() async throws {
        let own = try await cold.addTestWallet(.dash)
        let key = try await cold.watchKey(of: own.id)
        let bare = try #require(key.split(separator: "]").last)
        let other = "[733BB6DD/44h/5h/0h]\(bare)"
        let wallet = try await hot.watchWallet(other, chain: .dash)
        #expect(try await hot.watchKey(of: wallet.id) == "[733bb6dd/44'/5'/0']\(bare)")
        let descriptors = try await hot.descriptors(of: wallet.id).map(\.text)
        #expect(descriptors.allSatisfy { $0.hasPrefix("pkh([733bb6dd/44'/5'/0']xpub") })
        _ = try await hot.fundFromFaucet(wallet.id, amount: "1000000000")
        try await hot.mine(6)
        let request = try await hot.receive(Flow.all[0].text)
        let psbt = try PSBT(file: try await signingRequest(request.id))
        let origins = psbt.inputs.indices.flatMap { psbt.origins(ofInput: $0) }
            + psbt.outputs.indices.flatMap { psbt.origins(ofOutput: $0) }
        #expect(origins.count == 2)
        #expect(origins.allSatisfy { $0.origin.masterFingerprint == 0x733b_b6dd })
        try await hot.expectCleanReplay()
    }

    @Test func `a wallet of m over 0' alone receives and pays`() async throws {
        let own = try await cold.addTestWallet(.dash)
        let legacy = try #require(
            try await cold.descriptors(of: own.id).map(\.text).first { !$0.contains("/44'/") })
        let wallet = try await hot.watchWallet(legacy, chain: .dash)
        #expect(wallet.address != own.address && wallet.problem == nil)
        _ = try await hot.fundFromFaucet(wallet.id, amount: "1000000000")
        try await hot.mine(6)
        let request = try await hot.receive(Flow.all[0].text)
        let result = try await signed(try await signingRequest(request.id))
        #expect(try await take(result, for: request.id).status == .completed)
        try await hot.expectCleanReplay()
    }

    @Test func `signatures of another transaction than the present one are refused`() async throws {
        let wallet = try await watched(.dash)
        let request = try await hot.receive(Flow.all[0].text)
        let result = try await signed(try await signingRequest(request.id))
        // A coin that pays alone and is smaller is taken in place of the first one.
        _ = try await hot.fundFromFaucet(wallet.id, amount: "200000000")
        try await hot.mine(6)
        #expect(await code { _ = try await take(result, for: request.id) } == "signedDiffers")
        #expect(try await hot.request(request.id).status == .pending)
        let again = try await signed(try await signingRequest(request.id))
        #expect(try await take(again, for: request.id).status == .completed)
        try await hot.expectCleanReplay()
    }

    @Test func `a signature of another key is refused`() async throws {
        _ = try await watched(.dash)
        let request = try await hot.receive(Flow.all[0].text)
        let result = try await signed(try await signingRequest(request.id))
        var psbt = try PSBT(file: result)
        let signature = psbt.inputs[0].all(PSBTField.partialSignature)[0]
        var value = signature.value
        value[12] ^= 1
        psbt.inputs[0].set(PSBTField.partialSignature, data: signature.data, to: value)
        let altered = Bytes(psbt.base64.utf8)
        #expect(await code { _ = try await take(altered, for: request.id) } == "notSigned")
        #expect(try await hot.request(request.id).status == .pending)
    }

    @Test func `nothing is signed if claimed change is not the wallet's`()
        async throws
    {
        _ = try await watched(.dash)
        let request = try await hot.receive(Flow.all[0].text)
        let psbt = try PSBT(file: try await signingRequest(request.id))
        var transaction = psbt.transaction
        let change = try #require(
            transaction.outputs.indices.first { !psbt.origins(ofOutput: $0).isEmpty })
        transaction.outputs[change].script = Script.p2pkh(Bytes(repeating: 7, count: 20)).bytes
        var altered = PSBT(transaction)
        altered.setChainID(ChainID(.dash, .sandbox))
        altered.inputs = psbt.inputs
        altered.outputs = psbt.outputs
        let file = Bytes(altered.base64.utf8)
        #expect(await code { _ = try await cold.terms(of: file) } == "notASigningRequest")
    }

    /// The signing request of a payment of one coin, with its change altered.
    private func altered(
        changeTo path: String, fee: UInt64? = nil
    ) async throws -> [UInt8] {
        _ = try await watched(.dash)
        let request = try await hot.receive(Flow.all[0].text)
        let psbt = try PSBT(file: try await signingRequest(request.id))
        let watched = try await cold.watchKey(of: try await cold.wallets()[0].id)
        let material = try WatchedKey.material(
            of: watched, chain: .dash, network: .sandbox, networkID: nil)
        let path = try #require(DerivationPath(path))
        let key = try #require(material.publicKey(at: path))
        var transaction = psbt.transaction
        let change = try #require(
            transaction.outputs.indices.first { !psbt.origins(ofOutput: $0).isEmpty })
        transaction.outputs[change].script = Script.p2pkh(Hash160.hash(key.compressed)).bytes
        if let fee { transaction.outputs[change].amount -= fee }
        var altered = PSBT(transaction)
        altered.setChainID(ChainID(.dash, .sandbox))
        altered.inputs = psbt.inputs
        altered.add(KeyOrigin(masterFingerprint: 1, path: path), of: key, ofOutput: change)
        return Bytes(altered.base64.utf8)
    }

    private func warnings(_ terms: SigningTerms) -> [String] {
        terms.prompt.warnings.map(\.text)
    }

    @Test func `change to an index that no restore finds is shown, with a warning`() async throws {
        let file = try await altered(changeTo: "m/44'/5'/0'/1/999999")
        let terms = try await cold.terms(of: file)
        #expect(
            terms.prompt["change"]?.hasSuffix("to m/44'/5'/0'/1/999999")
                == true)
        #expect(warnings(terms).count == 1)
        #expect(warnings(terms).first?.contains("restored") == true)
        _ = try await signed(file)
    }

    @Test func `change to the first addresses is not shown`() async throws {
        let file = try await altered(changeTo: "m/44'/5'/0'/1/19")
        let terms = try await cold.terms(of: file)
        #expect(!terms.prompt.lines.contains { $0.name == "change" || $0.name == "warning" })
        _ = try await signed(file)
    }

    @Test(arguments: ["m/44'/5'/0'/1/1000000", "m/44'/5'/0'/0/5", "m/44'/5'/0'/2147483647/0"])
    func `an output on another branch or too far ahead is a second recipient`(
        path: String
    ) async throws {
        let file = try await altered(changeTo: path)
        let terms = try await cold.terms(of: file)
        #expect(terms.prompt["also pays"] != nil && terms.prompt["sum"] != nil)
    }

    @Test func `a fee of 2.5 coins is neither shown nor signed, a high one is warned of`()
        async throws
    {
        let path = "m/44'/5'/0'/1/0"
        let file = try await altered(changeTo: path, fee: 250_000_000)
        #expect(await code { _ = try await cold.terms(of: file) } == "feeTooHigh")
    }

    @Test func `a fee above the usual one is shown with a warning`() async throws {
        let file = try await altered(changeTo: "m/44'/5'/0'/1/0", fee: 150_000)
        let terms = try await cold.terms(of: file)
        #expect(warnings(terms) == ["The fee is high. It is usually less than 0.001 DASH."])
        _ = try await signed(file)
    }

    @Test func `a step limit of 2^120 and the year 3111 are shown with warnings`() async throws {
        _ = try await watched(.icon)
        let own = try #require(ICONAddress(Flow.key1))
        func file(_ steps: String, _ time: String) throws -> [UInt8] {
            let transaction = try ICONTransaction(
                params: .record([
                    "version": .string("0x3"), "from": .string(own.text),
                    "to": .string(Flow.key2), "value": .string("0x1"),
                    "stepLimit": .string(steps), "timestamp": .string(time),
                    "nid": .string("0x3"), "nonce": .string("0x1"),
                ]))
            return SigningRequest.icon(.init(transaction, on: .sandbox)).file
        }
        let now = ICONInteger.text(coldStore.now.withLock { $0 })
        let year3111 = ICONInteger.text(36_007_000_000_000_000)
        let odd = try await cold.terms(
            of: file("0x1" + String(repeating: "0", count: 30), year3111))
        #expect(warnings(odd).count == 3)
        #expect(warnings(odd).contains { $0.hasPrefix("The fee can be high") })
        #expect(warnings(odd).contains { $0.hasPrefix("Nodes accept this transaction only from") })
        let ordinary = try await cold.terms(of: file("0x186a0", now))
        #expect(warnings(ordinary).count == 1)
        #expect(warnings(ordinary).first?.hasPrefix("No node has told the price") == true)
        // A day later the file is not what is shown now, but it is what was shown.
        coldStore.wait(seconds: 86_400)
        _ = try await cold.sign(
            file("0x186a0", now), shown: ordinary, unlockedBy: Passphrase("correct horse"))
    }

    @Test func `a file that changes after its terms were shown is not signed`() async throws {
        _ = try await watched(.dash)
        let first = try await hot.receive(Flow.all[0].text)
        let second = try await hot.receive(
            "dashwallet://pay=\(Flow.dash)&amount=2&sender=myapp")
        let shown = try await cold.terms(of: try await signingRequest(first.id))
        let other = try await signingRequest(second.id)
        #expect(
            await code {
                _ = try await cold.sign(
                    other, shown: shown, unlockedBy: Passphrase("correct horse"))
            } == "termsChanged")
    }

    @Test func `wrong passphrases for a signing request lock the wallet too`() async throws {
        _ = try await watched(.dash)
        let request = try await hot.receive(Flow.all[0].text)
        let file = try await signingRequest(request.id)
        let terms = try await cold.terms(of: file)
        var codes: [String?] = []
        for _ in 0..<5 {
            codes.append(
                await code {
                    _ = try await cold.sign(file, shown: terms, unlockedBy: Passphrase("wrong"))
                })
        }
        #expect(codes.first == "wrongPassphrase")
        #expect(codes.last == "lockedOut")
        try await cold.expectCleanReplay()
    }

    @Test func `a watched wallet gives addresses away and nothing that takes a key`() async throws {
        _ = try await watched(.dash)
        let address = try await hot.receive("dashwallet://request=address&sender=myapp")
        let shown = try #require(address.prompt)
        let done = try await hot.approve(address.id, shown: shown, unlockedBy: nil)
        #expect(done.status == .completed)
        #expect(
            await code {
                _ = try await hot.approve(address.id, shown: shown, signed: [0x7b, 0x7d])
            } == "notASigningRequest")
        let key = try await hot.receive("dashwallet://request=masterPublicKey&sender=myapp")
        #expect(await code { _ = try await hot.approve(key.id) } == "watchOnly")
        let payment = try await hot.receive(Flow.all[0].text)
        #expect(await code { _ = try await hot.approve(payment.id) } == "watchOnly")
        #expect(await code { _ = try await signingRequest(key.id) } == "nothingToSign")
        let file = try await signed(try await signingRequest(payment.id))
        #expect(await code { _ = try await take(file, for: key.id) } == "nothingToSign")
        try await hot.expectCleanReplay()
    }

    @Test func `a watched wallet is shown only while its file agrees with the log`() async throws {
        let wallet = try await watched(.dash)
        let next = try await hot.address(of: wallet.id)
        let folder = hotStore.path + "/keys"
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder)
                .first { $0.hasSuffix(".watch") })
        let content = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
        try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        #expect(try await hot.wallets()[0].problem == "keyMissing")
        #expect(await code { _ = try await hot.address(of: wallet.id) } == "keyMissing")
        var altered = content
        altered[altered.count / 2] ^= 1
        try altered.write(to: URL(filePath: "\(folder)/\(name)"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: "\(folder)/\(name)")
        #expect(await code { _ = try await hot.address(of: wallet.id) } == "keyDamaged")
        try content.write(to: URL(filePath: "\(folder)/\(name)"))
        #expect(try await hot.address(of: wallet.id) == next)
    }

    @Test func `two accounts are two watched wallets, and the same one is refused`() async throws {
        let key =
            "xpub6CTVHStjVmVr1rZ5yMy5tcBvhBtWgjvv7xv6UVyT5jKMDq8ZFDpZtPWXDVZBfpLqCh9sTBgZSeyUBQmJ"
            + "zVVgkTdkTRXUDzm8jVLLkSYVzdU"
        _ = try await watched(.dash)
        let own = try await cold.watchKey(of: try await cold.wallets()[0].id)
        #expect(await code { _ = try await hot.watchWallet(own, chain: .dash) } == "walletExists")
        #expect(await code { _ = try await hot.watchWallet(key, chain: .dash) } == "invalidKey")
        let seed = try Mnemonic(
            parsing: Passphrase("zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo wrong").secret).seed()
        let path = try #require(DerivationPath("m/44'/5'/3'"))
        let text = ExtendedPrivateKey(seed: seed)?.descendant(path)?.publicKey(.main)?.text
        let other = try #require(text)
        let wallet = try await hot.watchWallet(other, chain: .dash)
        #expect(try await hot.wallets().map(\.id).contains(wallet.id))
    }
}
