import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLMDB
import DaybookSigner
import Foundation
import Testing

@testable import Daybook

/// Somebody who can write `log/` alters what is derived there: no caller and no user is given an
/// address or a key that is not of the sealed one.
struct ForgedAddressTests {
    private let temporary: TemporaryStore
    private let dash: WalletID
    private let icon: WalletID
    /// Every text that may be given away.
    private let own: Set<String>

    init() async throws {
        temporary = try TemporaryStore()
        let store = try temporary.open()
        dash = try await store.addTestWallet(.dash).id
        icon = try await store.addTestWallet(.icon).id
        let wallets = try await store.rows()
        own = Set(wallets.flatMap { Self.texts(of: $0.wallet.keys) })
    }

    // MARK: - The attacks that were carried out

    @Test func `an honest store gives its own address and keys to all who ask`() async throws {
        let given = try await handedOut(temporary.path)
        #expect(given.texts.isSubset(of: own))
        #expect(given.texts.count { $0.hasPrefix("xpub") } == 2)
        #expect(given.texts.contains { $0.hasPrefix("hx") })
        #expect(given.codes == [])
    }

    @Test func `address rows of the attacker's give away the wallet's addresses`() async throws {
        try temporary.alterDerived { rows in
            for (key, row) in rows.addresses.rows(.wallet(dash)) {
                var forged = Attacker.address
                forged.path = row.path
                rows.addresses[key] = forged
            }
        }
        let given = try await handedOut(temporary.path)
        #expect(given.texts.isSubset(of: own))
        #expect(given.texts.count > 3)
        #expect(given.codes == [])
    }

    @Test(arguments: [false, true])
    func `keys of the attacker's in a wallet's row make the wallet unusable`(
        withAddresses: Bool
    ) async throws {
        try temporary.alterDerived { rows in
            for id in [dash, icon] {
                guard let row = rows.wallet(id) else { continue }
                rows.wallets[id] = WalletRow(wallet: Attacker.keys(in: row.wallet))
            }
            guard withAddresses else { return }
            for (key, _) in rows.addresses.rows(.wallet(dash)) {
                rows.addresses[key] = Attacker.address
            }
        }
        try await expectUnusable("keyMismatch")
        let findings = try Store.examine(at: temporary.path).filter { $0.about == "keys" }
        #expect(findings.count == 2 && findings.allSatisfy { $0.status == .problem })
        #expect(findings[0].message.hasPrefix("the keys of wallet \(dash) are not those in keys/"))
    }

    @Test func `a wallet of the attacker's, fingerprint and all, has no sealed key`() async throws {
        try temporary.alterDerived { rows in
            for id in [dash, icon] {
                guard let row = rows.wallet(id) else { continue }
                let forged = Attacker.keys(in: row.wallet, fingerprint: .some(nil))
                rows.wallets[id] = WalletRow(wallet: forged)
            }
        }
        try await expectUnusable("keyMissing")
    }

    @Test func `a wallet whose row is another wallet's gives that wallet's address, or none`()
        async throws
    {
        try temporary.alterDerived { rows in
            guard let first = rows.wallet(dash), let second = rows.wallet(icon) else { return }
            rows.wallets[dash] = second
            rows.wallets[icon] = first
        }
        let given = try await handedOut(temporary.path)
        #expect(given.texts.isSubset(of: own))
    }

    @Test func `a wallet without its sealed key gives no address away`() async throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: temporary.path + "/keys") {
            try FileManager.default.removeItem(atPath: temporary.path + "/keys/" + name)
        }
        try await expectUnusable("keyMissing")
    }

    private func fund() async throws {
        let store = try temporary.open()
        _ = try await store.fundFromFaucet(dash, amount: "500000000")
    }

    private func expectUnusable(_ code: String) async throws {
        let given = try await handedOut(temporary.path)
        #expect(given.texts == [], "\(given.texts)")
        #expect(given.codes.contains(code))
        let store = try temporary.open()
        #expect(try await store.wallets().map(\.problem?.rawValue) == [code, code])
        #expect(try await store.wallets().map(\.address) == ["", ""])
    }

    @Test func `a coin whose row names the attacker's key gets no signature into the log`()
        async throws
    {
        try await fund()
        try temporary.alterDerived { rows in
            for (key, row) in rows.addresses.rows(.wallet(dash)) {
                var forged = row
                forged.publicKey = Attacker.publicKey.compressed
                rows.addresses[key] = forged
            }
        }
        let altered = try temporary.open()
        let request = try await altered.receive(
            "dashwallet://pay=\(Flow.dash)&amount=1.5&sender=myapp")
        let count = try await altered.allRecords().count
        await #expect(throws: DaybookError.self) { try await altered.approve(request.id) }
        #expect(try await altered.request(request.id).status == .pending)
        let added = try await altered.allRecords().dropFirst(count).map(\.type)
        #expect(!added.contains("signature.made"), "\(added)")
    }

    // MARK: - Every field of every row

    /// The rows that addresses could come from, with the first address of each branch.
    private static func isWanted(_ key: Bytes) -> Bool {
        for table in ["wallets", "branches"]
        where ByteOrder.begins(key, with: Bytes("\(table)/".utf8)) { return true }
        let isAddress = ByteOrder.begins(key, with: Bytes("addresses/".utf8))
        let index: UInt64 = BigEndian.number(key.suffix(4))
        return isAddress && index == 0
    }

    @Test func `with any altered value of a row, only the wallet's own address is given away`()
        async throws
    {
        var changes: [(key: Bytes, value: Bytes)] = []
        try temporary.alterDerived { state in
            for row in state.rows.scan(prefix: [], after: nil, limit: .max)
            where Self.isWanted(row.key) {
                guard let value = try? CBOR.decode(row.value) else { continue }
                changes += Attacker.variants(of: value).map { (row.key, $0.encoded()) }
            }
        }
        #expect(changes.count > 100)
        let copy = temporary.path + "-altered"
        defer { try? FileManager.default.removeItem(atPath: copy) }
        for (key, value) in changes {
            try? FileManager.default.removeItem(atPath: copy)
            try FileManager.default.copyItem(atPath: temporary.path, toPath: copy)
            let environment = try DaybookLMDB.Environment(copy + "/derived")
            try environment.write { view in
                try view.put(try #require(try view.table("state")), key, value)
            }
            _ = consume environment
            let given = try await handedOut(copy)
            let name = String(decoding: key.prefix(12), as: UTF8.self)
            #expect(
                given.texts.isSubset(of: own),
                "\(name): \((try? CBOR.decode(value).json.text()) ?? "") gave \(given.texts)")
        }
    }

    // MARK: - Asking for everything

    private struct HandedOut {
        /// Addresses and extended keys that the user or a caller saw.
        var texts: Set<String> = []
        /// The codes of the calls that refused to give any.
        var codes: Set<String> = []
    }

    /// Asks a store for addresses and keys in every way, as user and as caller.
    private func handedOut(_ path: String) async throws -> HandedOut {
        var result = HandedOut()
        func note(_ texts: [String]) {
            for text in texts { result.texts.formUnion(Self.found(in: text)) }
        }
        func attempt(_ body: () async throws -> [String]) async {
            do {
                note(try await body())
            } catch {
                result.codes.insert((error as? DaybookError)?.code.rawValue ?? "\(error)")
            }
        }
        let store = try temporary.open(at: path)
        await attempt { try await store.wallets().map(\.address) }
        for id in [dash, icon] { await attempt { [try await store.address(of: id)] } }
        let bind = Base64.encode(Array(#"{"id":1,"method":"bind"}"#.utf8))
        for link in [
            "dashwallet://request=address&account=0&sender=shop",
            "dashwallet://request=masterPublicKey&account=0&sender=game",
            "iconex://?data=\(bind)&caller=app://",
        ] {
            await attempt {
                let request = try await store.receive(link)
                note(request.prompt?.lines.map(\.text) ?? [])
                let shown = try await store.prompt(for: request.id)
                note(shown.lines.map(\.text))
                let done = try await store.approve(request.id)
                return [done.callback ?? ""]
            }
            await attempt { try await store.callbacks().map(\.url) }
        }
        return result
    }

    /// The addresses and keys in a text, also in the base64 of a callback's parameter.
    private static func found(in text: String) -> [String] {
        let plain = text.removingPercentEncoding ?? text
        let words = plain.components(separatedBy: CharacterSet.alphanumerics.inverted)
        var found = words.filter { word in
            UTXOAddress(word, chain: .dash) != nil || ExtendedPublicKey(word) != nil
                || ICONAddress(word) != nil
        }
        for part in plain.components(separatedBy: CharacterSet(charactersIn: "&?")) {
            if part.hasPrefix("data="), let bytes = Base64.decode(String(part.dropFirst(5))) {
                found += self.found(in: String(decoding: bytes, as: UTF8.self))
            }
        }
        return found
    }

    /// Every address and extended key that follows from a wallet's keys, sixty of each branch.
    private static func texts(of keys: WalletAdded.Keys) -> [String] {
        switch keys {
        case .single(let publicKey):
            return PublicKey(publicKey).map { [ICONAddress($0).text] } ?? []
        case .accounts(let accounts):
            return accounts.flatMap { account in
                [account.bip32, account.bip44].flatMap { text -> [String] in
                    let branches = (0..<2).compactMap { ExtendedPublicKey(text)?.child($0) }
                    let children = branches.flatMap { key in (0..<60).compactMap { key.child($0) } }
                    return [text] + children.map {
                        UTXOAddress($0.publicKey, .of(.dash, .sandbox)!).text
                    }
                }
            }
        }
    }
}

/// The attacker's own addresses.
private enum Attacker {
    static let publicKey = PrivateKey(SecretBytes(copying: Bytes(repeating: 0x5a, count: 32)))!
        .publicKey

    static let extendedKey = ExtendedPublicKey(
        format: .main, depth: 3, parentFingerprint: 1, childNumber: 1 << 31,
        chainCode: Bytes(repeating: 9, count: 32), publicKey: publicKey)!.text

    static var address: AddressRow {
        let address = UTXOAddress(publicKey, .of(.dash, .sandbox)!)
        return AddressRow(
            text: address.text, script: address.scriptPubKey, path: "m/44'/5'/0'/0/0",
            publicKey: publicKey.compressed)
    }

    /// A wallet with the attacker's keys; its fingerprint is kept, or made that of its keys.
    static func keys(in wallet: WalletAdded, fingerprint: String?? = nil) -> WalletAdded {
        let keys: WalletAdded.Keys
        switch wallet.keys {
        case .single: keys = .single(publicKey: publicKey.compressed)
        case .accounts(let accounts):
            keys = .accounts(
                accounts.map {
                    .init(
                        number: $0.number, bip32: extendedKey, bip44: extendedKey,
                        coinType: $0.coinType)
                })
        }
        return WalletAdded(
            chain: wallet.chain, network: wallet.network, networkID: wallet.networkID,
            label: wallet.label, fingerprint: fingerprint ?? wallet.fingerprint, keys: keys)
    }

    /// A row with each of its values altered, one at a time.
    static func variants(of value: CBOR) -> [CBOR] {
        switch value {
        case .text:
            return [address.text, ICONAddress(publicKey).text, extendedKey, "mainnet", ""].map(
                CBOR.text)
        case .bytes: return [publicKey.compressed, address.script, []].map(CBOR.bytes)
        case .unsigned: return [0, 1, 7, 1 << 31, .max].map(CBOR.unsigned)
        case .bool(let flag): return [.bool(!flag)]
        case .array(let items):
            return items.indices.flatMap { index in
                variants(of: items[index]).map { altered in
                    var items = items
                    items[index] = altered
                    return .array(items)
                }
            }
        case .map(let entries):
            return entries.indices.flatMap { index in
                variants(of: entries[index].value).map { altered in
                    var entries = entries
                    entries[index].value = altered
                    return .map(entries)
                }
            }
        default: return []
        }
    }
}

extension Store {
    fileprivate func rows() throws -> [WalletRow] {
        try journal.read { $0.wallets().map(\.row) }
    }
}
