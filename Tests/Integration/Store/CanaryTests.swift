import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookLog
import Foundation
import Testing
import TestSupport

@testable import Daybook
@testable import DaybookSigner

/// Plants secrets, drives them through a store in every way, and looks for them in all it leaves.
struct CanaryTests {
    static let passphrase = "quince-Lantern 77 überfluss"
    static let wrong = "marzipan~Regatta 31 falsch"
    static let words =
        "ozone drill grab fiber curtain grace pudding thank cruise elder eight picnic"
    static let key = Bytes((0..<32).map { UInt8($0 * 5 + 77) })
    static let wif = Base58Check.encode([204] + key + [1])

    private struct Absent: Error {}

    /// Every secret that one of the wallets has, by name, raw or as it is written.
    private func planted() throws -> [(String, Bytes)] {
        let mnemonic = try Mnemonic(parsing: secret(Self.words))
        let seed = try mnemonic.seed().plain
        let master = ExtendedPrivateKey(seed: SecretBytes(copying: seed))?.key.plain
        var secrets = [
            ("passphrase", Bytes(Self.passphrase.utf8)),
            ("wrong passphrase", Bytes(Self.wrong.utf8)),
            ("words", Bytes(Self.words.utf8)), ("entropy", mnemonic.entropy.plain),
            ("seed", seed), ("master key", try #require(master)), ("key", Self.key),
            ("wif", Bytes(Self.wif.utf8)),
        ]
        let icon = ["m/44'/74'/0'/0/0", "m/44'/4801368'/0'/0'/0'"]
        for text in ["m/0'", "m/44'/5'/0'", "m/44'/5'/0'/0/0", "m/0'/0/0"] + icon {
            let path = try #require(DerivationPath(text))
            guard
                let child = ExtendedPrivateKey(seed: SecretBytes(copying: seed))?.descendant(path)
            else { throw Absent() }
            secrets.append(("xprv of \(text)", Bytes(child.xprv.utf8)))
            secrets.append((text, child.key.plain))
        }
        return secrets
    }

    @Test func `no planted secret is anywhere in a store, an event or an error`() async throws {
        let canary = Canary(try planted())
        let temporary = try TemporaryStore()
        var traces = try await use(temporary)
        traces += try await misuse(temporary)
        traces += try await sendSecrets(temporary)
        let store = try temporary.open()
        try await store.expectCleanReplay()
        for event in try await store.events(limit: .max) {
            traces += [Canary.trace(of: event), Bytes(event.data.utf8), event.bytes]
        }
        let files = try #require(FileManager.default.enumerator(atPath: temporary.path))
        var names: [String] = []
        for case let name as String in files {
            names.append(name)
            traces.append(Bytes(name.utf8))
            if let data = FileManager.default.contents(atPath: temporary.path + "/" + name) {
                traces.append(Bytes(data))
            }
        }
        #expect(names.contains("log/data.mdb") && names.contains("sandbox/data.mdb"))
        #expect(names.count { $0.hasPrefix("keys/") && $0.hasSuffix(".key") } == 4)
        #expect(traces.count > 100)
        for trace in traces {
            if let found = canary.found(in: trace) {
                Issue.record("\(found) in \(String(decoding: trace.prefix(200), as: UTF8.self))")
            }
        }
    }

    @Test func `a secret that a store holds in any form is found`() throws {
        let canary = Canary(try planted())
        for (name, secret) in try planted() {
            for leak in [
                secret, Bytes(Hex.encode(secret).utf8), Bytes(Hex.encode(secret).uppercased().utf8),
                Bytes(Base58.encode(secret).utf8), Bytes(Base64.encode(secret).utf8),
                Bytes(Base64.encode([1] + secret).utf8), Bytes(Base64.encode([1, 2] + secret).utf8),
            ] {
                #expect(canary.found(in: [1, 2] + leak + [3]) == name)
            }
        }
    }

    // MARK: - Driving secrets through a store

    private func use(_ temporary: TemporaryStore) async throws -> [Bytes] {
        let store = try temporary.open()
        var traces: [Bytes] = []
        let dash = try await store.addWallet(
            .mnemonic(Passphrase(Self.words)), chain: .dash, sealedBy: Passphrase(Self.passphrase)
        ).wallet
        let axe = try await store.addWallet(
            .wif(Passphrase(Self.wif)), chain: .axe, sealedBy: Passphrase(Self.passphrase)
        ).wallet
        let icon = try await store.addWallet(
            .hexKey(Passphrase(Hex.encode(Self.key))), chain: .icon,
            sealedBy: Passphrase(Self.passphrase)
        ).wallet
        traces += [Canary.trace(of: dash), Canary.trace(of: axe), Canary.trace(of: icon)]
        _ = try await store.fundFromFaucet(dash.id, amount: "1000000000")
        _ = try await store.fundFromFaucet(axe.id, amount: "1000000000")
        _ = try await store.fundFromFaucet(icon.id, amount: "10000000000000000000")
        let links = [
            "dashwallet://pay=\(Flow.dash)&amount=1.5&sender=myapp",
            "dashwallet://request=masterPublicKey&account=0&sender=myapp",
            "dashwallet://request=address&sender=myapp",
            "axewallet://pay=\(Flow.axe)&amount=1&sender=myapp",
            connect(#"{"id":1,"method":"bind"}"#),
            connect(
                #"{"id":2,"method":"sendICX","params":{"from":"\#(icon.address)","#
                    + #""to":"\#(Flow.key2)","value":"0x1"}}"#),
        ]
        for link in links {
            let request = try await store.receive(link)
            traces.append(Canary.trace(of: request))
            let shown = try #require(request.prompt)
            traces.append(
                await error {
                    _ = try await store.approve(
                        request.id, shown: shown, unlockedBy: Passphrase(Self.wrong))
                })
            if try await store.request(request.id).status == .pending {
                let done = try await store.approve(
                    request.id, shown: shown, unlockedBy: Passphrase(Self.passphrase))
                #expect(done.status == .completed)
                traces.append(Canary.trace(of: done))
            }
        }
        try await store.mine(1)
        traces.append(Canary.trace(of: try await store.balances()))
        traces.append(Canary.trace(of: try await store.bindings()))
        return traces
    }

    private func misuse(_ temporary: TemporaryStore) async throws -> [Bytes] {
        let store = try temporary.open()
        var traces: [Bytes] = []
        func add(_ source: consuming WalletSource, _ chain: ChainName) async {
            do {
                traces.append(
                    Canary.trace(
                        of: try await store.addWallet(
                            source, chain: chain, sealedBy: Passphrase(Self.passphrase)
                        ).wallet))
            } catch {
                traces.append(Canary.trace(of: error))
            }
        }
        let hex = Hex.encode(Self.key)
        await add(.mnemonic(Passphrase(Self.words)), .dash)
        await add(.mnemonic(Passphrase(Self.words + " above")), .dash)
        await add(.mnemonic(Passphrase(String(Self.words.dropLast()))), .axe)
        await add(.mnemonic(Passphrase(Self.words)), .icon)
        await add(.mnemonic(Passphrase(Self.wif)), .dash)
        await add(.wif(Passphrase(Self.wif + "1")), .dash)
        await add(.wif(Passphrase(Self.wif)), .icon)
        await add(.wif(Passphrase(hex)), .dash)
        await add(.hexKey(Passphrase(String(hex.dropLast()) + "g")), .icon)
        await add(.hexKey(Passphrase(hex + "00")), .icon)
        await add(.hexKey(Passphrase(Self.words)), .icon)
        await add(.keystore(file: Bytes(hex.utf8), password: Passphrase(Self.passphrase)), .icon)
        await add(
            .keystore(
                file: Bytes(#"{"version":3,"crypto":{"cipher":"\#(Self.wif)"}}"#.utf8),
                password: Passphrase(Self.passphrase)), .icon)
        return traces + (try await misapprove(store, temporary))
    }

    /// Approves with wrong passphrases, while locked out, and with damaged key files.
    private func misapprove(_ store: Store, _ temporary: TemporaryStore) async throws -> [Bytes] {
        var traces: [Bytes] = []
        let request = try await store.receive("dashwallet://request=address&sender=other")
        let shown = try #require(request.prompt)
        for attempt in [Self.wrong, Self.passphrase + "x", String(Self.passphrase.dropLast())] {
            traces.append(
                await error {
                    _ = try await store.approve(
                        request.id, shown: shown, unlockedBy: Passphrase(attempt))
                })
        }
        traces.append(
            await error {
                _ = try await store.approve(
                    request.id, shown: shown, unlockedBy: Passphrase(Self.passphrase))
            })
        temporary.wait(seconds: 100)
        let keys = temporary.path + "/keys"
        for name in try FileManager.default.contentsOfDirectory(atPath: keys) {
            let file = keys + "/" + name
            let intact = try #require(FileManager.default.contents(atPath: file))
            var changed = intact
            changed[changed.count - 3] ^= 1
            try changed.write(to: URL(fileURLWithPath: file))
            traces.append(
                await error {
                    _ = try await store.approve(
                        request.id, shown: shown, unlockedBy: Passphrase(Self.passphrase))
                })
            try intact.write(to: URL(fileURLWithPath: file))
        }
        return traces
    }

    /// Links that hold a secret, plainly or wrapped.
    private func sendSecrets(_ temporary: TemporaryStore) async throws -> [Bytes] {
        let store = try temporary.open()
        var traces: [Bytes] = []
        let known = ["words", "wif", "key", "master key", "seed"]
        let secrets = try planted().filter { known.contains($0.0) || $0.0.hasPrefix("xprv") }
        for (name, bytes) in secrets {
            let isText = name == "words" || name == "wif" || name.hasPrefix("xprv")
            let texts =
                isText
                ? [String(decoding: bytes, as: UTF8.self)]
                : [Hex.encode(bytes), Hex.encode(bytes).uppercased(), "0x" + Hex.encode(bytes)]
            for text in texts {
                for link in isText ? links(around: text) : addressLinks(around: text) {
                    do {
                        let request = try await store.receive(link)
                        traces.append(Canary.trace(of: request))
                        #expect(request.status != .completed)
                    } catch {
                        traces.append(Canary.trace(of: error))
                    }
                }
            }
        }
        return traces
    }

    /// Hexadecimal is known as a key only where an address should stand: elsewhere the same digits
    /// may as well be a transaction's id.
    private func addressLinks(around text: String) -> [String] {
        let plain = text.replacingOccurrences(of: " ", with: "%20")
        let whole = text.utf8.map { "%" + Hex.encode([$0]) }.joined()
        let twice = whole.replacingOccurrences(of: "%", with: "%25")
        return [
            "dashwallet://pay=\(plain)&amount=1&sender=myapp",
            "dashwallet://pay=\(whole)&amount=1&sender=myapp",
            "axewallet://pay=\(twice)&amount=1&sender=myapp", "axe:\(plain)?amount=1",
            "dash:\(whole)",
        ]
    }

    private func links(around text: String) -> [String] {
        let plain = text.replacingOccurrences(of: " ", with: "%20")
        let whole = text.utf8.map { "%" + Hex.encode([$0]) }.joined()
        let data = Base64.encode(Bytes(text.utf8))
        return addressLinks(around: text) + [
            "dashwallet://pay=\(Flow.dash)&amount=1&note=\(plain)&sender=myapp",
            "dashwallet://request=address&sender=\(plain)",
            "dash:\(Flow.dash)?label=\(whole)", plain, text,
            "iconex://?data=\(data)&caller=my-app-scheme://",
            connect(#"{"id":5,"method":"sign","params":{"from":"\#(text)"}}"#),
            connect(#"{"id":5,"method":"\#(text)"}"#),
            connect(
                #"{"id":5,"method":"sendICX","params":{"from":"\#(Flow.key1)","to":"\#(text)","#
                    + #""value":"0x1"}}"#),
        ]
    }

    // MARK: - Helpers

    private func error(_ body: () async throws -> Void) async -> Bytes {
        do {
            try await body()
            return []
        } catch {
            return Canary.trace(of: error)
        }
    }

    private func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Bytes(text.utf8)) }
}

extension SecretBytes {
    /// A copy of the secret, for tests to look for.
    fileprivate var plain: Bytes {
        withBytes { span in
            var bytes = Bytes()
            for index in span.indices { bytes.append(span[index]) }
            return bytes
        }
    }
}

extension PrivateKey {
    fileprivate var plain: Bytes {
        withBytes { span in
            var bytes = Bytes()
            for index in span.indices { bytes.append(span[index]) }
            return bytes
        }
    }
}

extension ExtendedPrivateKey {
    /// The text form that BIP 32 has for Bitcoin, and Dash and Axe too.
    fileprivate var xprv: String {
        func four(_ number: UInt32) -> Bytes {
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        }
        return Base58Check.encode(
            [0x04, 0x88, 0xad, 0xe4, depth] + four(parentFingerprint) + four(childNumber)
                + chainCode.plain + [0] + key.plain)
    }
}
