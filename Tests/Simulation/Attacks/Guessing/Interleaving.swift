import Daybook
import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookMigrations
import DaybookReplay
import DaybookSigner
import Simulator
import Synchronization
import TestSupport

/// Several processes of one store that guess, unlock, lock, change the passphrase, remove the
/// wallet and pay without a passphrase, all at once.
///
/// The laws: no passphrase is tried while the wallet is locked; each wrong one is in the log before
/// the next is tried; nothing is approved while the wallet is locked; and a payment without a
/// passphrase is recorded only in a process that has unlocked the wallet under the passphrase of
/// that moment, and was not told to lock it since it began to.
final class Interleaving: Sendable {
    /// A task's step.
    enum Deed: Sendable {
        case unlock(String)
        case approve(String)
        case changePassphrase(String)
        case pay, lock, remove
    }

    /// A call that a task has made, by when things happened; all times are of one counter.
    private struct Call {
        let process: Int
        let deed: Deed
        var request: RequestID?
        var begun = 0
        /// When it began to wait for the key's lock.
        var waited: Int?
        /// When it tried the right passphrase, and the number of the sealing.
        var opened: (time: Int, number: Int)?
        var ended: Int?
        var code: String?

        var isDone: Bool { ended != nil && code == nil }
    }

    /// A decision as it was last made: the last time is that of its commit.
    private struct Decision {
        let sealing: Int
        let isLocked: Bool
    }

    private struct History {
        var time = 0
        var calls: [Call] = []
        var decisions: [RequestID: Decision] = [:]
        var findings: [String] = []

        mutating func tick() -> Int {
            time += 1
            return time
        }
    }

    private let history = Mutex(History())
    private let scheduler: Scheduler
    private let log: SafeStorage
    private let chains: SafeStorage
    private let now: Mutex<UInt64>
    private let scene: GuessingScene

    private init(_ scene: GuessingScene, seed: UInt64) {
        self.scene = scene
        scheduler = Scheduler(seed: seed)
        (log, chains) = (SafeStorage(MemoryTables()), SafeStorage(MemoryTables()))
        log.tables.image = scene.log
        chains.tables.image = scene.chains
        now = Mutex(scene.now)
    }

    /// Runs the interleaving of a seed; what came of its calls, and which laws were broken.
    static func run(
        _ scene: GuessingScene, seed: UInt64, weakness: GuessingScene.Weakness? = nil
    ) throws -> (codes: [String], findings: [String]) {
        let interleaving = Interleaving(scene, seed: seed)
        try interleaving.play(Seeded(seed), weakness)
        return interleaving.judged()
    }

    private func play(_ random: Seeded, _ weakness: GuessingScene.Weakness?) throws {
        var random = random
        let observer = try EventLog(in: log)
        let vault = GuessedVault(
            scene.content, weakness,
            waits: { [self] call in note(call) { $0.waited = $1 } },
            tries: { [self] call, isRight, content in
                tried(isRight, content, in: observer)
                if isRight { note(call) { $0.opened = ($1, content.number) } }
            })
        let stores = try (0..<2 + random.below(2)).map { try open($0, vault) }
        // Often a wallet is unlocked before the rest begins.
        if random.chance(60) {
            start(.unlock(GuessingScene.first), in: random.below(stores.count), stores)
            scheduler.drain()
        }
        var requests = scene.requests
        for _ in 0..<4 + random.below(6) {
            let deed = deed(&random)
            var request: RequestID?
            switch deed {
            case .approve, .pay: request = requests.popLast()
            default: break
            }
            start(deed, in: random.below(stores.count), stores, request)
            if random.chance(15) { scheduler.drain() }
            if random.chance(5) { now.withLock { $0 += 61_000_000 } }
        }
        scheduler.drain()
        withExtendedLifetime(stores) {}
    }

    private func deed(_ random: inout Seeded) -> Deed {
        let passphrase = random.pick(weighing: [
            (GuessingScene.first, 3), (GuessingScene.second, 2), ("wrong", 4),
        ]) ?? "wrong"
        return random.pick(weighing: [
            (.unlock(passphrase), 5), (.approve(passphrase), 3), (.changePassphrase(passphrase), 3),
            (.pay, 6), (.lock, 2), (.remove, 1),
        ]) ?? .lock
    }

    private func open(_ process: Int, _ vault: GuessedVault) throws -> Store {
        let (log, chains) = (log, chains)
        var parts = StoreParts(
            log: { try EventLog(in: log) }, sandbox: { chains },
            keystore: vault, sendLock: { _ in FreeSendLock() }, settings: { Settings() })
        parts.decide = { [self] state, input in
            if case .decisionMade(let data) = input.payload, let request = input.request {
                let locked = state.unlocks[scene.wallet]?.lockedUntil ?? 0
                let decision = Decision(
                    sealing: vault.now.number, isLocked: data.unlocked && locked > input.time)
                history.withLock { $0.decisions[request] = decision }
            }
            return StoreParts.decide(state, input)
        }
        var options = StoreOptions()
        options.clock = { [self] in now.withLock { $0 += 1000; return $0 } }
        options.run = { [scheduler] work in scheduler.start { work()() } }
        options.pause = { [self] seconds in now.withLock { $0 += UInt64(seconds) * 1_000_000 } }
        return try Store(parts, at: "", frontEnd: "process \(process)", options: options)
    }

    // MARK: - Calls

    private func start(
        _ deed: Deed, in process: Int, _ stores: [Store], _ request: RequestID? = nil
    ) {
        let number = history.withLock { history in
            history.calls.append(Call(process: process, deed: deed, request: request))
            return history.calls.count - 1
        }
        let store = stores[process]
        scheduler.start { [self] in
            note(number) { $0.begun = $1 }
            let code = await GuessedVault.$call.withValue(number) {
                await perform(deed, on: store, request)
            }
            note(number) { call, time in (call.ended, call.code) = (time, code) }
        }
    }

    /// Does it; returns the code of its error.
    private func perform(_ deed: Deed, on store: Store, _ request: RequestID?) async -> String? {
        let wallet = scene.wallet
        do throws(DaybookError) {
            switch deed {
            case .unlock(let passphrase):
                try await store.unlock(
                    wallet, with: Computer.secret(passphrase), seconds: 86_400,
                    limit: 9_000_000_000_000_000_000)
            case .approve(let passphrase):
                guard let request else { return "none left" }
                let shown = try await store.prompt(for: request).digest
                try await store.approve(
                    request, shown: shown, unlockedBy: Computer.secret(passphrase))
            case .pay:
                guard let request else { return "none left" }
                let shown = try await store.prompt(for: request).digest
                try await store.approve(request, shown: shown, unlockedBy: nil)
            case .changePassphrase(let passphrase):
                try await store.changePassphrase(
                    of: wallet, from: Computer.secret(passphrase),
                    to: Computer.secret(GuessingScene.second))
            case .lock: await store.lock(wallet)
            case .remove: try await store.removeWallet(wallet)
            }
            return nil
        } catch {
            return error.code.rawValue
        }
    }

    private func note(_ call: Int?, _ change: (inout Call, _ time: Int) -> Void) {
        guard let call else { return }
        history.withLock { history in
            let time = history.tick()
            change(&history.calls[call], time)
        }
    }

    // MARK: - Laws

    /// Judges a try of a passphrase by what is in the log.
    private func tried(_ isRight: Bool, _ content: GuessedVault.Content, in log: EventLog) {
        do {
            let (recorded, isLocked) = try log.read { snapshot in
                let failures = try snapshot.records(from: 0, limit: .max).count {
                    $0.type == UnlockFailed.type
                }
                let until = snapshot.state.unlocks[scene.wallet]?.lockedUntil ?? 0
                return (failures, until > now.withLock { $0 })
            }
            if isLocked { find("a passphrase is tried while the wallet is locked") }
            if recorded != content.wrong {
                find("a passphrase is tried before the wrong ones are recorded")
            }
        } catch {
            find("the log can't be read: \(error)")
        }
    }

    private func find(_ sentence: String) { history.withLock { $0.findings.append(sentence) } }

    private func judged() -> (codes: [String], findings: [String]) {
        let history = history.withLock { $0 }
        var findings = history.findings
        for call in history.calls {
            if call.ended == nil { findings.append("\(call.deed) never ends") }
            guard call.isDone, let decision = call.request.flatMap({ history.decisions[$0] })
            else { continue }
            if decision.isLocked { findings.append("\(call.deed) is done for a locked wallet") }
            guard case .pay = call.deed else { continue }
            let isUnlocked = history.calls.contains { unlock in
                counts(unlock, for: call, decision, among: history.calls)
            }
            if !isUnlocked { findings.append("a payment is made that no passphrase stands behind") }
        }
        return (history.calls.map { "\($0.deed.name) \($0.code ?? "done")" }, findings)
    }

    /// Whether a payment may rely on a call of `unlock`.
    private func counts(
        _ unlock: Call, for payment: Call, _ decision: Decision, among calls: [Call]
    ) -> Bool {
        guard case .unlock = unlock.deed, unlock.isDone, unlock.process == payment.process,
            let opened = unlock.opened, let waited = unlock.waited,
            opened.number == decision.sealing, opened.time < payment.ended ?? 0
        else { return false }
        return !calls.contains { lock in
            guard case .lock = lock.deed, lock.process == payment.process, let end = lock.ended
            else { return false }
            return lock.begun > waited && end < payment.begun
        }
    }
}

extension Interleaving.Deed {
    fileprivate var name: String {
        switch self {
        case .unlock: "unlock"
        case .approve: "approve"
        case .changePassphrase: "changePassphrase"
        case .pay: "pay"
        case .lock: "lock"
        case .remove: "remove"
        }
    }
}
