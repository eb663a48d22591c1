import Daybook
import DaybookChains
import DaybookEncoding

/// A user at an altered store: reads each prompt, approves what says what he wants, and asks again
/// for what he is told has failed.
final class Visit {
    let computer: Computer
    let scene: AttackScene
    let plant: Weakness?
    /// Whether somebody pays the user before each block.
    var isPaid = false
    /// The intents that this visit is about.
    private let indices: [Int]
    private let rounds: Int
    private var progress: [Int: Progress] = [:]
    /// The terms that the user has agreed to, with any result.
    private(set) var approvals: [Approval] = []
    /// Every text that left the program: callbacks, addresses, and where it was.
    private(set) var said: [(place: String, text: String)] = []
    /// The course of events, to be printed.
    private(set) var story: [String] = []

    private enum Progress { case inHand(RequestID), done }

    struct Approval {
        let intent: Intent
        let fee: UInt256
    }

    init(
        _ computer: Computer, _ scene: AttackScene, chain: Chain?, rounds: Int, plant: Weakness?
    ) {
        self.computer = computer
        self.scene = scene
        self.plant = plant
        self.rounds = rounds
        indices = scene.intents.indices.filter {
            chain == nil || scene.intents[$0].chain == chain
        }
    }

    /// How many of the intents came to an end as far as the user knows.
    var completed: Int { progress.count }

    /// Uses the store; what it refuses by an error is no finding.
    func run(_ store: Store) async {
        await attempt("wallets") {
            for wallet in try await store.wallets() {
                say("wallet", wallet.address)
                say("receive address", try await store.address(of: wallet.id))
            }
        }
        for round in 0..<rounds {
            if round > 0 { await waitBetweenRounds(store) }
            for id in await waiting(store) { await decide(id, store) }
            guard round > 0 else { continue }
            for index in indices where progress[index] == nil {
                let link = scene.intents[index].link
                await attempt("open the link of \(scene.intents[index].name)") {
                    try plant?.payAgain(scene.intents[index], self)
                    let request = try await store.receive(link)
                    await decide(request.coalescedInto ?? request.id, store)
                }
            }
        }
        mine()
        await attempt("sync") { _ = try await store.sync() }
        await attempt("callbacks") {
            for callback in try await store.callbacks() { say("callback", callback.url) }
        }
        await plant?.speak(for: self, store)
    }

    func say(_ place: String, _ text: String) { said.append((place, text)) }

    /// The requests that the user knows of, and those that the store shows as waiting.
    private func waiting(_ store: Store) async -> [RequestID] {
        var ids = indices.map { scene.requests[$0] }
        await attempt("pending") {
            let more = try await store.pending().map(\.id)
            ids += more.filter { !ids.contains($0) }
        }
        return ids
    }

    /// Time passes, blocks are mined, and payments in flight may turn out to have failed.
    private func waitBetweenRounds(_ store: Store) async {
        mine()
        computer.wait(seconds: 30)
        await attempt("sync") { _ = try await store.sync() }
        for (index, state) in progress {
            guard case .inHand(let id) = state else { continue }
            await attempt("look at \(id)") { note(try await store.request(id), of: index) }
        }
    }

    private func mine() {
        let now = computer.now.withLock { $0 }
        let wanted = Set(indices.map { scene.intents[$0].chain })
        for chain in Chain.allCases where wanted.contains(chain) {
            if isPaid { pay(on: chain) }
            computer.chains.mine(1, on: chain, at: now)
        }
    }

    /// Pays an address that was paid before.
    private func pay(on chain: Chain) {
        let address = scene.paid[chain] ?? ""
        let amount = UInt256(chain == .icon ? 1_000_000_007 : 1_234_567)
        do {
            try computer.chains.fund(
                address, amount, on: chain, at: computer.now.withLock { $0 })
        } catch {
            story.append("pay \(address): \(error)")
        }
    }

    // MARK: - Deciding

    private func decide(_ id: RequestID, _ store: Store) async {
        await attempt("approve \(id)") {
            try plant?.signRecorded(id, self)
            guard let (index, prompt, fee) = try await agreed(id, store) else { return }
            let intent = scene.intents[index]
            approvals.append(Approval(intent: intent, fee: fee))
            story.append("approves \(id), \(intent.name), for at most \(fee.decimal)")
            let result = try await store.approve(
                id, shown: prompt, amount: intent.typed.map { MinorAmount($0) },
                unlockedBy: Computer.secret(Computer.passphrase))
            try plant?.signBelievingRows(self)
            note(result, of: index)
        }
    }

    /// The user agrees to the honest prompt of a recorded decision, which the control shows.
    func agreeToRecorded(_ id: RequestID) {
        guard let place = scene.requests.firstIndex(of: id), indices.contains(place) else { return }
        let intent = scene.intents[place]
        approvals.append(Approval(intent: intent, fee: intent.honest?.fee ?? .zero))
    }

    /// The intent that a request's prompt is for, as far as the user can see; nil where he sees
    /// that it is none of his, or has it in hand already.
    private func agreed(
        _ id: RequestID, _ store: Store
    ) async throws -> (Int, PromptText, UInt256)? {
        var prompt = try await store.prompt(for: id)
        for index in indices where progress[index] == nil {
            let intent = scene.intents[index]
            guard let untyped = intent.untyped, let honest = intent.honest else { continue }
            let decimals = intent.chain == .icon ? 18 : 8
            guard PromptReading(prompt, decimals: decimals).known == untyped.known else { continue }
            if let typed = intent.typed {
                prompt = try await store.prompt(for: id, amount: MinorAmount(typed))
            }
            let reading = PromptReading(prompt, decimals: decimals)
            guard reading.isAgreeable(to: honest) else {
                story.append("does not agree to \(id), \(intent.name): \(prompt.lines)")
                return nil
            }
            if let address = prompt["address"] { say("prompt", address) }
            return (index, prompt, reading.fee ?? .zero)
        }
        return nil
    }

    private func note(_ request: WalletRequest, of index: Int) {
        story.append(
            "request \(request.id) is \(request.status.rawValue) "
                + (request.refusal?.rawValue ?? ""))
        if let url = request.callback { say("callback", url) }
        switch request.status {
        case .completed: progress[index] = .done
        case .signed, .sent, .deferred: progress[index] = .inHand(request.id)
        default: progress[index] = nil
        }
    }

    /// A store's refusal ends the step and no more.
    func attempt(_ step: String, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            story.append("\(step): \(error)")
        }
    }
}
