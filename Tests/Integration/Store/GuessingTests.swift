import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookLMDB
import DaybookSigner
import Synchronization
import TestSupport
import Testing

@testable import Daybook

/// Guesses at a passphrase that are made at once, and what ends an unlocked wallet.
///
/// The two stores are those of two processes: they share a log and a folder of keys.
struct GuessingTests {
    private let temporary: TemporaryStore
    private let storage: DaybookLMDB.Environment
    private let tries: Tries
    private let stores: [Store]
    private let wallet: WalletID
    private let right = "correct horse"

    init() async throws {
        let (home, tries) = (try TemporaryStore(), Tries())
        let storage = try DaybookLMDB.Environment(home.path + "/log")
        let chains = try SandboxChains.open(StoreFolder(home.path).sandbox)
        stores = try (0..<2).map { _ in
            try home.open(on: storage, CountingVault(home, tries), chains: chains)
        }
        (temporary, self.storage, self.tries) = (home, storage, tries)
        wallet = try await stores[0].addTestWallet(.icon).id
        _ = try await stores[0].fundFromFaucet(wallet, amount: "9000000000000000000")
    }

    // MARK: - Guesses at once

    /// The ways to a sealed key.
    enum Way: CaseIterable {
        case unlock, approve, changePassphrase, exportKeystore, sign
    }

    private func guess(
        _ text: String, _ way: Way, in store: Store, _ request: RequestID
    ) async -> String? {
        do throws(DaybookError) {
            switch way {
            case .unlock:
                try await store.unlock(wallet, with: Passphrase(text), seconds: 60, limit: "1")
            case .approve:
                let shown = try await store.prompt(for: request).digest
                try await store.approve(request, shown: shown, unlockedBy: Passphrase(text))
            case .changePassphrase:
                try await store.changePassphrase(
                    of: wallet, from: Passphrase(text), to: Passphrase("battery staple"))
            case .exportKeystore:
                _ = try await store.keystoreFile(
                    of: wallet, unlockedBy: Passphrase(text), sealedBy: Passphrase("other horse"))
            case .sign:
                let shown = try await store.prompt(for: request).digest
                let file = try await store.signingRequest(for: request, shown: shown)
                let terms = try await store.terms(of: file)
                _ = try await store.sign(file, shown: terms, unlockedBy: Passphrase(text))
            }
            return nil
        } catch {
            return "\(error.code)"
        }
    }

    private func payment() async throws -> RequestID {
        // Another amount each time: the same payment would be a repetition.
        let value = "0x" + String(try await stores[0].allRecords().count, radix: 16)
        return try await stores[0].receive(
            connect(
                #"{"id":2,"method":"sendICX","params":{"from":"\#(Flow.key1)","#
                    + #""to":"\#(Flow.key2)","value":"\#(value)"}}"#)
        ).id
    }

    @Test(arguments: Way.allCases)
    func `guesses at once are made one by one, and none while the wallet is locked`(
        _ way: Way
    ) async throws {
        let request = try await payment()
        let codes = await withTaskGroup(of: String?.self) { group in
            for number in 0..<12 {
                group.addTask {
                    await guess("wrong \(number)", way, in: stores[number % 2], request)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == "wrongPassphrase" } == 3, "\(codes)")
        #expect(codes.count { $0 == "lockedOut" } == 9, "\(codes)")
        #expect(await guess(right, way, in: stores[1], request) == "lockedOut")
        #expect(tries.all == 3)
        #expect(tries.mostAtOnce == 1)
        #expect(try await stores[0].allRecords().count { $0.type == "unlock.failed" } == 3)
        // The control: when the lock is over, the right one opens it.
        temporary.wait(seconds: 61)
        #expect(await guess(right, way, in: stores[1], request) == nil)
    }

    @Test func `while a wrong passphrase can't be recorded, no other is tried`() async throws {
        let isFull = Atomic(false)
        struct NoSpace: Error {}
        let home = try TemporaryStore()
        let tries = Tries()
        let disk = try HookedDisk(home.path + "/log") {
            if isFull.load(ordering: .relaxed) { throw NoSpace() }
        }
        let store = try home.open(on: disk, CountingVault(home, tries))
        let wallet = try await store.addTestWallet(.dash).id
        func attempt(_ text: String) async -> Bool {
            let secret = Passphrase(text)
            return
                (try? await store.unlock(wallet, with: secret, seconds: 9, limit: "1")) != nil
        }
        isFull.store(true, ordering: .relaxed)
        for _ in 0..<5 { #expect(!(await attempt("wrong"))) }
        #expect(!(await attempt(right)))
        #expect(tries.all == 1)
        isFull.store(false, ordering: .relaxed)
        #expect(await attempt(right))
        #expect(try await store.allRecords().count { $0.type == "unlock.failed" } == 1)
    }

    // MARK: - What ends an unlocked wallet

    private func unlock(_ store: Store, _ text: String? = nil) async throws {
        try await store.unlock(
            wallet, with: Passphrase(text ?? right), seconds: 600,
            limit: "9000000000000000000")
    }

    /// Pays without a passphrase; returns the error's code.
    private func pay(_ store: Store) async throws -> String? {
        let request = try await payment()
        let shown = try await store.prompt(for: request).digest
        do {
            try await store.approve(request, shown: shown, unlockedBy: nil)
            return nil
        } catch {
            return "\(error.code)"
        }
    }

    @Test func `a passphrase that another process has changed ends an unlocked wallet`()
        async throws
    {
        try await unlock(stores[0])
        #expect(try await pay(stores[0]) == nil)
        try await stores[1].changePassphrase(
            of: wallet, from: Passphrase(right), to: Passphrase("battery staple"))
        #expect(try await stores[0].wallets().map(\.unlocked) == [nil])
        #expect(try await pay(stores[0]) == "passphraseMissing")
        try await unlock(stores[0], "battery staple")
        #expect(try await pay(stores[0]) == nil)
    }

    @Test func `a passphrase changed by another process is noticed without a call`()
        async throws
    {
        try await unlock(stores[0])
        try await stores[1].changePassphrase(
            of: wallet, from: Passphrase(right), to: Passphrase("battery staple"))
        await waitUntil { !stores[0].holdsKeys }
        #expect(!stores[0].holdsKeys)
    }

    @Test func `a wallet that another process removes is locked without a call`() async throws {
        try await unlock(stores[0])
        #expect(stores[0].holdsKeys)
        try await stores[1].removeWallet(wallet)
        await waitUntil { !stores[0].holdsKeys }
        #expect(!stores[0].holdsKeys)
        await stores[0].lock(wallet)
    }

    @Test func `a key that was opened before the passphrase changed signs nothing any more`()
        async throws
    {
        let request = try await payment()
        let shown = try await stores[0].prompt(for: request).digest
        let key = try await stores[0].openKey(of: wallet, with: Passphrase(right))
        try await stores[1].changePassphrase(
            of: wallet, from: Passphrase(right), to: Passphrase("battery staple"))
        let approval = Approval(
            request: request, wallet: wallet, prompt: shown.bytes, amount: nil, isUnlocked: true)
        await #expect {
            try await stores[0].record(approval, by: key) { proposal, previous in
                try await Store.signatures(for: proposal, previous, by: key)
            }
        } throws: { ($0 as? DaybookError)?.code == "passphraseMissing" }
        #expect(try await stores[0].request(request).status == .pending)
    }

    @Test func `a wallet that is locked while it is being unlocked stays locked`() async throws {
        let slow = SlowVault(temporary)
        let store = try temporary.open(on: storage, slow)
        let task = Task(executorPreference: OwnThreads()) {
            try await store.unlock(wallet, with: Passphrase(right), seconds: 60, limit: "1")
        }
        await waitUntil { slow.isOpening.load(ordering: .acquiring) }
        await store.lock(wallet)
        slow.permit()
        await #expect { try await task.value } throws: {
            ($0 as? DaybookError)?.code == "unlockOvertaken"
        }
        #expect(!store.holdsKeys)
        // The control: the next one is not overtaken.
        try await store.unlock(wallet, with: Passphrase(right), seconds: 60, limit: "1")
        #expect(store.holdsKeys)
    }
}

/// How often keys were tried to be opened.
private final class Tries: Sendable {
    private let counts = Mutex((all: 0, now: 0, most: 0))

    var all: Int { counts.withLock { $0.all } }
    var mostAtOnce: Int { counts.withLock { $0.most } }

    func begin() {
        counts.withLock { counts in
            counts.all += 1
            counts.now += 1
            counts.most = max(counts.most, counts.now)
        }
    }

    func end() { counts.withLock { $0.now -= 1 } }
}

/// The keystore of one process, which counts how often keys are tried to be opened.
private struct CountingVault: KeyVault {
    private let keystore: Keystore
    private let tries: Tries

    init(_ temporary: TemporaryStore, _ tries: Tries) {
        keystore = Keystore(folder: temporary.path + "/keys", parameters: .cheap)
        self.tries = tries
    }

    func lock(_ name: String) async throws(KeystoreError) -> KeyLock {
        try await keystore.lock(name)
    }

    func sealing(of name: String) throws(KeystoreError) -> Sealing {
        try keystore.sealing(of: name)
    }

    func seal(
        _ secret: borrowing WalletSecret, of material: PublicMaterial,
        passphrase: borrowing SecretBytes, salt: Bytes, nonce: Bytes
    ) throws(KeystoreError) {
        try keystore.seal(secret, of: material, passphrase: passphrase, salt: salt, nonce: nonce)
    }

    func watch(_ material: PublicMaterial) throws(KeystoreError) {
        try keystore.watch(material)
    }

    func material(of name: String) throws(KeystoreError) -> PublicMaterial {
        try keystore.material(of: name)
    }

    func unlock(
        name: String, passphrase: borrowing SecretBytes
    ) throws(KeystoreError) -> Signer {
        tries.begin()
        defer { tries.end() }
        return try keystore.unlock(name: name, passphrase: passphrase)
    }

    func reseal(
        name: String, from old: borrowing SecretBytes, to new: borrowing SecretBytes,
        salt: Bytes, nonce: Bytes
    ) throws(KeystoreError) {
        try keystore.reseal(name: name, from: old, to: new, salt: salt, nonce: nonce)
    }
}
