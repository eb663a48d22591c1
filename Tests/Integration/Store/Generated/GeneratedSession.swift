import DaybookEncoding
import Foundation
import Testing
import TestSupport

@testable import Daybook

/// Requests, decisions, blocks, faults and clock jumps, all of which follow from a seed.
///
/// A `DaybookError` is an answer and is counted; whatever a front end may never see (a store at
/// fault, any other error) is an issue of the test.
final class GeneratedSession {
    let folder: SeededFolder
    private var opened: Store?
    private(set) var wallets: [Wallet] = []
    /// How often each answer came, by name.
    private(set) var answers: [String: Int] = [:]
    private var random: Seeded
    private var links = GeneratedLinks()
    /// The prompts that requests came with.
    private var shown: [(id: RequestID, prompt: PromptText)] = []
    private var undelivered: [RequestID] = []
    private let right = "correct horse"

    init(seed: UInt64) throws {
        random = Seeded(seed)
        let logID = Bytes(repeating: UInt8(truncatingIfNeeded: seed), count: 16)
        folder = try SeededFolder(logID: logID)
        opened = try folder.open()
    }

    var store: Store { opened! }

    /// Runs until so many requests have been received, and ends the last session.
    func run(requests: Int) async throws {
        try await addWallets()
        for serial in 0..<requests {
            await receive(serial)
            while random.chance(55) { await decide() }
            if random.chance(25) { try await turn() }
        }
        for chain in ChainName.allCases { try await store.setFault(.none, on: chain) }
        try await store.mine(7)
    }

    // MARK: - Wallets

    private func addWallets() async throws {
        let words = Array(repeating: "abandon", count: 11) + ["about"]
        for chain in [ChainName.dash, .axe] {
            let mnemonic = Passphrase(words.joined(separator: " "))
            try await add(.mnemonic(mnemonic), chain, .sandbox, "savings \(chain.rawValue)")
            try await add(.hexKey(key(7)), chain, .sandbox, nil)
            try await add(.hexKey(key(8)), chain, .regtest, "test\u{202e}coins")
        }
        try await add(.hexKey(key(1)), .icon, .sandbox, "ICON")
        try await add(.hexKey(key(3)), .icon, .sandbox, nil)
        try await add(.hexKey(key(4)), .icon, .regtest, "regtest")
        try await add(.hexKey(key(5)), .icon, .mainnet, "real")
        for wallet in wallets { links.own[wallet.chain, default: []].append(wallet.address) }
        for wallet in wallets where wallet.network == .sandbox { try await fund(wallet) }
    }

    private func key(_ number: Int) -> Passphrase {
        let digits = String(number, radix: 16)
        return Passphrase(String(repeating: "0", count: 64 - digits.count) + digits)
    }

    private func add(
        _ source: consuming WalletSource, _ chain: ChainName, _ network: NetworkName,
        _ label: String?
    ) async throws {
        let added = try await store.addWallet(
            source, chain: chain, network: network, label: label, sealedBy: Passphrase(right))
        wallets.append(added.wallet)
    }

    private func fund(_ wallet: Wallet) async throws {
        if wallet.chain == .icon {
            let loop: MinorAmount = "\(1 + random.below(9))000000000000000000"
            _ = try await store.fundFromFaucet(wallet.id, amount: loop)
            _ = try await store.fundFromFaucet(
                wallet.id, amount: "\(1000 + random.below(9000))", token: true)
        } else {
            let duffs: MinorAmount = "\(50_000_000 + random.below(900_000_000))"
            _ = try await store.fundFromFaucet(wallet.id, amount: duffs)
        }
    }

    // MARK: - Requests and decisions

    private func receive(_ serial: Int) async {
        links.now = folder.now.withLock { $0 }
        let text = links.next(serial, &random)
        let key = random.chance(15) ? "key \(random.below(40))" : nil
        await attempt("receive") {
            let request = try await self.store.receive(text, key: key)
            if let prompt = request.prompt { self.shown.append((request.id, prompt)) }
            if request.callback != nil { self.undelivered.append(request.id) }
            return request.status.rawValue
        }
        if shown.count > 30 { shown.removeFirst(10) }
    }

    private func decide() async {
        guard !shown.isEmpty else { return }
        let place = random.below(shown.count)
        let (id, first) = shown[place]
        switch random.below(100) {
        case 0..<8: await approve(id, passphrase: "wrong")
        case 8..<12: await approve(id, wallet: random.pick(wallets).id)
        case 12..<20: await approve(id, prompt: first)
        case 20..<24: await approve(id, prompt: random.pick(shown).prompt)
        case 24..<34: await approve(id, amount: MinorAmount(UInt64(random.below(200_000_000))))
        case 34..<46: await reject(id)
        case 46..<48:
            folder.turnClock(seconds: 601)
            await approve(id, prompt: first)
        case 48..<54:
            await approve(id)
            await approve(id)
            await reject(id)
        case 54..<56: await approve(RequestID(UInt64(random.below(500))), prompt: first)
        default: await approve(id)
        }
        if random.chance(70) { shown.remove(at: place) }
    }

    private func approve(
        _ id: RequestID, prompt: PromptText? = nil, wallet: WalletID? = nil,
        amount: MinorAmount? = nil, passphrase: String? = nil
    ) async {
        await attempt("approve") {
            let fresh = try await self.store.prompt(for: id, wallet: wallet, amount: amount)
            let done = try await self.store.approve(
                id, shown: prompt ?? fresh, wallet: wallet, amount: amount,
                unlockedBy: Passphrase(passphrase ?? self.right))
            if done.callback != nil { self.undelivered.append(id) }
            return done.status.rawValue
        }
    }

    private func reject(_ id: RequestID) async {
        await attempt("reject") { try await self.store.reject(id).status.rawValue }
    }

    // MARK: - The world

    private func turn() async throws {
        let chain = random.pick(ChainName.allCases)
        switch random.below(20) {
        case 0..<5: await attempt("mine") { try await self.store.mine(1); return "done" }
        case 5: await attempt("mine") { try await self.store.mine(8); return "done" }
        case 6, 7: await attempt("sync") { "\(try await self.store.sync().events > 0)" }
        case 8, 9:
            let wallet = random.pick(wallets.filter { $0.network == .sandbox })
            await attempt("fund") { try await self.fund(wallet); return "done" }
        case 10:
            let depth = 1 + random.below(3)
            await attempt("reorganise") {
                try await self.store.reorganise(chain, depth: depth)
                return "done"
            }
        case 11, 12:
            let fault = random.pick([
                Store.Fault.refuseNext(code: -26, message: "66: insufficient priority"),
                .loseNext, .loseNextAnswer, .silent, .withholdLocks,
            ])
            try await store.setFault(fault, on: chain)
        case 13, 14:
            for chain in ChainName.allCases { try await store.setFault(.none, on: chain) }
        case 15: folder.turnClock(seconds: Int64(random.below(200)))
        case 16: folder.turnClock(seconds: -Int64(random.below(400)))
        case 17: try await reopen()
        default: await deliver()
        }
    }

    private func deliver() async {
        while let id = undelivered.popLast() {
            await attempt("deliver") { "\(try await self.store.delivered(id).isDelivered)" }
        }
    }

    private func reopen() async throws {
        // The folder counts as closed when the last store is released.
        opened = nil
        opened = try folder.open()
        await attempt("resume") { try await self.store.resume(); return "done" }
    }

    private func attempt(_ name: String, _ body: () async throws -> String) async {
        do {
            answers["\(name) \(try await body())", default: 0] += 1
        } catch let error as DaybookError where error.kind != .store {
            answers["\(name) \(error.code)", default: 0] += 1
            if name == "receive", error.kind != .usage {
                Issue.record("receiving must not fail: \(error)")
            }
        } catch {
            Issue.record("\(name): \(error)")
        }
    }
}
