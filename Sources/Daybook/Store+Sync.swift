import DaybookChains
import DaybookDomain
import DaybookLog
import DaybookNodes

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
