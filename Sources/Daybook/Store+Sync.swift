import DaybookChains
import DaybookDomain
public import DaybookEncoding
import DaybookLog
import DaybookNodes
import DaybookSigner

/// Hears how far the looking at one chain has come: so many steps of all that are known of.
public typealias SyncProgress = @Sendable (
    _ chain: ChainName, _ network: NetworkName, _ done: Int, _ all: Int
) -> Void

/// What one look at the nodes brought.
public struct SyncRound: Equatable, Sendable {
    /// How many events were recorded.
    public let events: Int
    /// What is wrong at the end of it, one for each chain and network of which no node answered.
    public let problems: [NodeProblem]
    /// What is wrong with nodes in whose stead another one of their chain was asked.
    public let passedOver: [NodeProblem]
    /// Whether there is more to ask about than one sync does: the next one goes on.
    public let isMoreLeft: Bool
    /// What was tried with payments, and what became of them, in the order of their requests.
    public let payments: [PaymentNews]

    /// The first problem as `sync` throws it; nil where there is none.
    public var failure: DaybookError? { problems.first.map { DaybookError($0) } }

    init(
        events: Int, problems: [NodeProblem], passedOver: [NodeProblem] = [],
        isMoreLeft: Bool = false, payments: [PaymentNews] = []
    ) {
        self.events = events
        self.problems = problems
        self.passedOver = passedOver
        self.isMoreLeft = isMoreLeft
        self.payments = payments
    }
}

extension Store {
    /// Asks the nodes of all wallets what is new and records it.
    ///
    /// A wallet that was used for long, or a node that makes up payment after payment, is not seen
    /// through in one call: `isMoreLeft` says so, and the next call goes on. For example:
    ///
    ///     while try await store.sync().isMoreLeft {}
    ///
    /// Every node is asked, and what it says recorded, before the first problem is thrown: one that
    /// fails does not keep the others' news.
    ///
    /// - Throws: `nodeMissing` and the other codes of nodes in `docs/COMMANDS.md`.
    public func sync(progress: SyncProgress? = nil) async throws -> SyncRound {
        let round = try await syncReachable(progress: progress)
        if let failure = round.failure { throw failure }
        return round
    }

    /// Asks the nodes of all wallets what is new, and records what those say that answer.
    ///
    /// As `sync`, but what is wrong with nodes stands in the `problems` of what it returns, beside
    /// what the others brought. For example:
    ///
    ///     let round = try await store.syncReachable()
    ///     show(round.events, round.payments, round.problems)
    ///
    /// - Throws: what the store itself refuses.
    public func syncReachable(progress: SyncProgress? = nil) async throws -> SyncRound {
        try await facing { try await look(at: try places(), progress) }
    }

    /// Syncs every few seconds (1 to 3600) until the task is cancelled.
    ///
    /// A node that fails is asked less and less often, every five minutes in the end, until it
    /// answers again. `hears` is called after each round that recorded events or that changed what
    /// is wrong, and knows of all problems that there are then. For example:
    ///
    ///     let following = Task {
    ///         try await store.follow { round in show(round.events, round.problems) }
    ///     }
    ///
    /// - Throws: `invalidInterval`, what `hears` throws, and what the store itself refuses.
    public func follow(
        every seconds: Int = 5, progress: SyncProgress? = nil,
        hears: (SyncRound) async throws -> Void
    ) async throws {
        guard (1...3600).contains(seconds) else {
            throw DaybookError("invalidInterval", .usage, "1 to 3600 seconds")
        }
        var watch = SyncWatch(longestPause: Self.longestPause / seconds)
        while !Task.isCancelled {
            let all = try facing { try places() }
            let due = watch.due(of: all)
            var round = try await facing { try await look(at: due, progress) }
            // What fails because the caller gave up says nothing of the node.
            if Task.isCancelled {
                round = SyncRound(
                    events: round.events, problems: [], passedOver: round.passedOver,
                    isMoreLeft: round.isMoreLeft, payments: round.payments)
            }
            if let news = watch.news(in: round, due: due, of: all) { try await hears(news) }
            do {
                try await pause(seconds)
            } catch is CancellationError {
                return
            }
        }
    }

    /// A node that fails is asked again after this many seconds at the latest.
    private static let longestPause = 300

    /// Syncs the embedded chains alone: what is done there needs no other node.
    func syncSandbox(_ chains: [Chain]) async throws {
        let round = try await look(at: chains.map { ChainID($0, .sandbox) }, nil)
        if let failure = round.failure { throw failure }
    }

    /// The chains and networks that have wallets.
    private func places() throws -> [ChainID] {
        try journal.read { state in
            state.wallets().reduce(into: [ChainID]()) { places, wallet in
                let place = ChainID(wallet.row.wallet.chain, wallet.row.wallet.network)
                if !places.contains(place) { places.append(place) }
            }
        }
    }

    /// Asks each node for news, then goes on with what remains to be done at those that answered.
    private func look(at places: [ChainID], _ progress: SyncProgress?) async throws -> SyncRound {
        let before = try journal.log.read { $0.count }
        activeRequests.beginHearing()
        defer { activeRequests.endHearing() }
        var problems: [NodeProblem] = []
        var isMoreLeft = false
        for place in places {
            do {
                guard try clients.client(place.chain, place.network) != nil else {
                    throw ChainFailure(.noNode, "no node is set up")
                }
            } catch {
                problems.append(NodeProblem(error, at: place))
                continue
            }
            do {
                var steps: ChainProgress?
                if let progress {
                    steps = { progress(place.chainName, place.networkName, $0, $1) }
                }
                if try await worker.look(place.chain, place.network, progress: steps) {
                    isMoreLeft = true
                }
            } catch let failure as ChainFailure {
                problems.append(NodeProblem(failure, at: place))
            }
        }
        try await worker.run(at: places.filter { place in
            !problems.contains { $0.place == place }
        })
        let answers = activeRequests.takeAnswers()
        try await recordSentAgain(answers)
        let after = try journal.log.read { $0.count }
        let passedOver = nodesPassedOver(at: places).filter { other in
            !problems.contains { $0.place == other.place && $0.url == other.url }
        }
        return SyncRound(
            events: Int(after - before), problems: problems, passedOver: passedOver,
            isMoreLeft: isMoreLeft,
            payments: try paymentNews(after: before, answers))
    }
}

extension Store {
    /// Adds a wallet by its public key alone: its secret is on another machine.
    ///
    /// `key` is an account's extended public key, with or without its origin
    /// (`[73c5da0a/44'/5'/0']xpub…`), or for ICON and wallets of one key the public key in 66
    /// hexadecimal digits; `watchKey(of:)` gives it. What the wallet's addresses follow from is
    /// kept under `keys/` too, and only a log that agrees with it has its addresses shown.
    ///
    /// - Throws: `invalidKey`, `walletExists`, `permissionDenied`.
    public func watchWallet(
        _ key: String, chain: ChainName, network: NetworkName = .sandbox, label: String? = nil,
        coinType: UInt32? = nil, networkID: UInt64? = nil
    ) async throws -> Wallet {
        let kind = (DaybookChains.Chain(chain), DaybookChains.Network(network))
        guard label.map({ $0.utf8.count <= 64 }) ?? true else {
            throw DaybookError("invalidWallet", .usage, "a label has at most 64 bytes")
        }
        let nid = kind.0.rules.hasNetworkIDs ? networkID ?? Self.networkID(of: kind.1) : nil
        let material = WatchedKey.material(
            of: key, chain: kind.0, network: kind.1, networkID: nid, coinType: coinType)
        guard let material else {
            throw DaybookError(
                "invalidKey", .usage,
                "this is no public key of a \(chain.rawValue) wallet on \(network.rawValue)")
        }
        let added = WalletAdded(
            chain: kind.0, network: kind.1, networkID: nid, label: label, keys: material.keys,
            isWatchOnly: true)
        return try await facing {
            try journal.read { try Self.refuseKnown(added, $0) }
            try keystore.watch(material)
            return try await record(added)
        }
    }

    /// The public key by which another store can watch a wallet: it can't spend from it.
    ///
    /// - Throws: `unknownWallet`, `keyMismatch`, `keyMissing`, `keyDamaged`, `permissionDenied`.
    public func watchKey(of wallet: WalletID) throws -> String {
        try facing {
            try journal.read { state in
                WatchedKey.text(of: try checkedWallet(wallet, in: state).material)
            }
        }
    }
}

/// What a store that follows its chains knows from round to round: which nodes are due, and what
/// was wrong with them.
struct SyncWatch {
    /// How many rounds a node is left in peace at most.
    let longestPause: Int
    private var paces: [ChainID: Pace] = [:]
    private var problems: [NodeProblem] = []
    private var passedOver: [NodeProblem] = []
    /// Why payments were not taken when that was told last.
    private var told: [RequestID: String] = [:]

    init(longestPause: Int) {
        self.longestPause = max(longestPause, 1)
    }

    /// A node that answers is asked in every round; one that fails after two, four, eight.
    private struct Pace {
        var step = 1
        var pause = 0
    }

    /// Those of all places whose node is asked in the round that begins now.
    mutating func due(of places: [ChainID]) -> [ChainID] {
        places.filter { place in
            guard let pause = paces[place]?.pause, pause > 0 else { return true }
            paces[place]?.pause = pause - 1
            return false
        }
    }

    /// What is worth telling of a round in which these of all places were due; nil for nothing.
    mutating func news(in round: SyncRound, due: [ChainID], of places: [ChainID]) -> SyncRound? {
        for place in due {
            let hasFailed = round.problems.contains { $0.place == place }
            let step = hasFailed ? min((paces[place]?.step ?? 1) * 2, longestPause) : 1
            paces[place] = Pace(step: step, pause: step - 1)
        }
        let before = problems
        problems = places.compactMap { place in
            (due.contains(place) ? round.problems : before).first { $0.place == place }
        }
        let passedOverBefore = passedOver
        passedOver = passedOverBefore.filter { !due.contains($0.place) } + round.passedOver
        let isSame =
            problems.elementsEqual(before) { $0.place == $1.place && $0.code == $1.code }
            && passedOver.elementsEqual(passedOverBefore) { $0.url == $1.url && $0.code == $1.code }
        let payments = round.payments.filter { isNews($0) }
        if isSame, round.events == 0, payments.isEmpty { return nil }
        return SyncRound(
            events: round.events, problems: problems, passedOver: passedOver,
            isMoreLeft: round.isMoreLeft, payments: payments)
    }

    /// A payment that is not taken, for the same reason as before, is told once.
    private mutating func isNews(_ payment: PaymentNews) -> Bool {
        let reason = payment.kind == .notTaken ? payment.request.reason : nil
        defer { told[payment.request.id] = reason }
        return reason == nil || told[payment.request.id] != reason
    }
}
