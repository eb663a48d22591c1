import DaybookChains
import DaybookDomain
public import DaybookEncoding
import DaybookLog
import DaybookNodes
import DaybookSigner

/// Called with the progress of a chain's scan: `done` of `all` steps known so far.
public typealias SyncProgress = @Sendable (
    _ chain: ChainName, _ network: NetworkName, _ done: Int, _ all: Int
) -> Void

/// The result of one sync with the nodes.
public struct SyncRound: Codable, Hashable, Sendable {
    /// How many events were recorded.
    public let events: Int
    /// The problems, one for each chain and network of which no node answered.
    ///
    /// Two nodes that contradict each other are one as well.
    public let problems: [NodeProblem]
    /// The problems of nodes that failed while another node of their chain answered.
    public let passedOver: [NodeProblem]
    /// Whether the sync reached its limit; the next one continues.
    public let isMoreLeft: Bool
    /// The changes of payments and the attempts to send them, in the order of their requests.
    public let payments: [PaymentChange]
    /// The parts of nodes' answers that are set aside, because they were not understood.
    public let setAside: [SetAsidePart]
    /// The wrong records of old blocks that are corrected now; nil if nothing was compared.
    public let differences: [SyncDifference]?

    /// The error that `sync` throws for the first problem; nil if there is none.
    public var failure: DaybookError? { problems.first.map { DaybookError($0) } }

    /// A round for previews and tests of a front end.
    public init(
        events: Int, problems: [NodeProblem] = [], passedOver: [NodeProblem] = [],
        isMoreLeft: Bool = false, payments: [PaymentChange] = [],
        setAside: [SetAsidePart] = [], differences: [SyncDifference]? = nil
    ) {
        self.events = events
        self.problems = problems
        self.passedOver = passedOver
        self.isMoreLeft = isMoreLeft
        self.payments = payments
        self.setAside = setAside
        self.differences = differences
    }
}

/// A fact about old blocks that was recorded wrongly, because a node had left out or invented it.
public struct SyncDifference: Codable, Hashable, Sendable {
    /// The chain that was compared.
    public let chain: ChainName
    /// The network of the chain.
    public let network: NetworkName
    /// The subject, such as `the coin 4f…:0`.
    public let about: String
    /// The recorded value.
    public let recorded: String
    /// The node's value, which is recorded now.
    public let found: String

    /// A difference for previews and tests of a front end.
    public init(
        chain: ChainName, network: NetworkName, about: String, recorded: String, found: String
    ) {
        (self.chain, self.network) = (chain, network)
        (self.about, self.recorded, self.found) = (about, recorded, found)
    }

    init(_ found: Contradiction, on chainID: ChainID) {
        self.init(
            chain: chainID.chainName, network: chainID.networkName, about: found.subject,
            recorded: found.recorded, found: found.said)
    }
}

extension Store {
    /// Asks the nodes of all wallets for changes and records them.
    ///
    /// One call is limited: a wallet with a long history, or a node that invents payments, needs
    /// several. `isMoreLeft` says so, and the next call continues. For example:
    ///
    ///     while try await store.sync().isMoreLeft {}
    ///
    /// All nodes are asked, and their changes recorded, before the first problem is thrown. With
    /// `full` everything that is recorded is compared with the nodes, and corrected if a node had
    /// left something out or invented it; otherwise that happens about once a day.
    ///
    /// - Throws: `nodeMissing` and the other codes of nodes in `docs/COMMANDS.md`.
    public func sync(
        full: Bool = false, progress: SyncProgress? = nil
    ) async throws(DaybookError) -> SyncRound {
        let round = try await syncReachable(full: full, progress: progress)
        if let failure = round.failure { throw failure }
        return round
    }

    /// Asks the nodes of all wallets for changes, and returns the problems of those that fail.
    ///
    /// Otherwise as `sync`, which throws the first problem. For example:
    ///
    ///     let round = try await store.syncReachable()
    ///     show(round.events, round.payments, round.problems)
    ///
    /// - Throws: errors of the store, none of nodes; `callCancelled` if the task was.
    public func syncReachable(
        full: Bool = false, progress: SyncProgress? = nil
    ) async throws(DaybookError) -> SyncRound {
        try await convertingErrors {
            let round = try await scan(try chainIDs(), isWhole: full, progress)
            // Failures of a cancelled task are not the nodes'.
            if !round.problems.isEmpty { try Task.checkCancellation() }
            return round
        }
    }

    /// Syncs every few seconds (1 to 3600) until the task is cancelled.
    ///
    /// A node that fails is asked less and less often, at last every five minutes, until it
    /// answers. `onChange` is called after each round that recorded events or changed the problems,
    /// with all present problems. For example:
    ///
    ///     let following = Task {
    ///         try await store.follow { round in show(round.events, round.problems) }
    ///     }
    ///
    /// - Throws: `invalidInterval`, errors of `onChange`, and errors of the store.
    public func follow(
        everySeconds seconds: Int = 5, progress: SyncProgress? = nil,
        onChange: (SyncRound) async throws -> Void
    ) async throws {
        guard (1...3600).contains(seconds) else {
            throw DaybookError("invalidInterval", .usage, "1 to 3600 seconds")
        }
        var watch = SyncWatch(longestPause: Self.longestPause / seconds)
        while !Task.isCancelled {
            let all = try convertingErrors { try chainIDs() }
            let due = watch.due(of: all)
            var round = try await convertingErrors { try await scan(due, progress) }
            // Failures of a cancelled task are not the nodes'.
            if Task.isCancelled {
                round = SyncRound(
                    events: round.events, problems: [], passedOver: round.passedOver,
                    isMoreLeft: round.isMoreLeft, payments: round.payments,
                    setAside: round.setAside, differences: round.differences)
            }
            if let change = watch.change(in: round, due: due, of: all) {
                try await onChange(change)
            }
            do {
                try await pause(seconds)
            } catch is CancellationError {
                return
            }
        }
    }

    /// The longest time until a node that fails is asked again, in seconds.
    private static let longestPause = 300

    /// Syncs only some chains, after something was done on them.
    func sync(_ chainIDs: [ChainID]) async throws {
        let round = try await scan(chainIDs, nil)
        if let failure = round.failure { throw failure }
    }

    /// The chains and networks that have wallets.
    private func chainIDs() throws -> [ChainID] {
        try journal.read { state in
            state.wallets().reduce(into: [ChainID]()) { chainIDs, wallet in
                let chainID = wallet.row.wallet.chainID
                if !chainIDs.contains(chainID) { chainIDs.append(chainID) }
            }
        }
    }

    /// Scans the chains, then performs the remaining effects on those that answered.
    private func scan(
        _ chainIDs: [ChainID], isWhole: Bool = false, _ progress: SyncProgress?
    ) async throws -> SyncRound {
        let before = try journal.log.read { $0.count }
        activeRequests.beginListening()
        defer { activeRequests.endListening() }
        var problems: [NodeProblem] = []
        var isMoreLeft = false
        var contradicted: [NodeProblem] = []
        var differences: [SyncDifference]?
        for chainID in chainIDs {
            do {
                guard try clients.client(of: chainID) != nil else {
                    throw ChainFailure(.noNode, "no node is set up")
                }
            } catch {
                problems.append(NodeProblem(error, of: chainID))
                continue
            }
            do {
                var steps: ChainProgress?
                if let progress {
                    steps = { progress(chainID.chainName, chainID.networkName, $0, $1) }
                }
                if try await worker.scan(chainID, ScanRequest(progress: steps)) {
                    isMoreLeft = true
                    continue
                }
                let isDue = try isWhole || journal.read(.published) { state, _ in
                    state.isComparisonDue(chainID.chain, chainID.network)
                }
                if isDue {
                    let found = try await worker.compareWhole(chainID, progress: steps)
                    differences = (differences ?? [])
                        + found.map { SyncDifference($0, on: chainID) }
                }
                let failure = try await worker.contradictionOfNodes(chainID, isWhole: isDue)
                if let failure { contradicted.append(NodeProblem(failure, of: chainID)) }
            } catch let failure as ChainFailure {
                problems.append(NodeProblem(failure, of: chainID))
                try await worker.noteOutage(failure, of: chainID)
            }
        }
        try await worker.run(on: chainIDs.filter { chainID in
            !problems.contains { $0.chainID == chainID }
        })
        let open = try await recordSentAgain(activeRequests.takeAnswers())
        let after = try journal.log.read(.published) { $0.count }
        let passedOver = nodesPassedOver(of: chainIDs).filter { other in
            !problems.contains { $0.chainID == other.chainID && $0.url == other.url }
        }
        return SyncRound(
            events: after > before ? Int(after - before) : 0, problems: problems + contradicted,
            passedOver: passedOver, isMoreLeft: isMoreLeft,
            payments: try paymentChanges(after: before, open),
            setAside: try journal.read(.published) { state, _ in state.setAside(of: chainIDs) },
            differences: differences)
    }
}

extension Store {
    /// Adds a wallet by its public key alone: its secret is on another machine.
    ///
    /// `key` is an account's extended public key, with or without its origin
    /// (`[73c5da0a/44'/5'/0']xpub…`), or descriptors of one wallet (`pkh(…)`), or for ICON and
    /// wallets of one key the public key in 66 hexadecimal digits; `watchKey(of:)` gives it. The
    /// origin is kept. The keys of the wallet's addresses are kept under `keys/` too, and the
    /// store shows addresses only if the log agrees with them.
    ///
    /// - Throws: `invalidKey`, `walletExists`, `permissionDenied`.
    public func watchWallet(
        _ key: String, chain: ChainName, network: NetworkName = .sandbox, label: String? = nil,
        coinType: UInt32? = nil, networkID: UInt64? = nil
    ) async throws(DaybookError) -> Wallet {
        let kind = (DaybookChains.Chain(chain), DaybookChains.Network(network))
        guard label.map({ $0.utf8.count <= 64 }) ?? true else {
            throw DaybookError("invalidWallet", .usage, "a label has at most 64 bytes")
        }
        let nid = kind.0.rules.hasNetworkIDs ? networkID ?? Self.networkID(of: kind.1) : nil
        let material: PublicMaterial
        do {
            material = try WatchedKey.material(
                of: key, chain: kind.0, network: kind.1, networkID: nid, coinType: coinType)
        } catch {
            throw DaybookError("invalidKey", .usage, error.description)
        }
        let added = WalletAdded(
            chain: kind.0, network: kind.1, networkID: nid, label: label, keys: material.keys,
            isWatchOnly: true)
        return try await convertingErrors {
            try journal.read(.asWriter) { state, _ in
                try Self.refuseKnown(added.material, state)
            }
            try keys.watch(material)
            return try await record(added)
        }
    }

    /// The public key by which another store can watch a wallet: it can't spend from it.
    ///
    /// - Throws: `unknownWallet`, `keyMismatch`, `keyMissing`, `keyDamaged`, `permissionDenied`.
    public func watchKey(of wallet: WalletID) throws(DaybookError) -> String {
        try convertingErrors {
            try journal.read { state in
                WatchedKey.text(of: try keys.checked(wallet, in: state).material)
            }
        }
    }
}

/// The state of `follow` between its rounds: when each chain is due, and the known problems.
struct SyncWatch {
    /// The largest number of rounds from one attempt at a failing chain to the next.
    let longestPause: Int
    private var paces: [ChainID: Pace] = [:]
    private var problems: [NodeProblem] = []
    private var passedOver: [NodeProblem] = []
    /// The reported reasons why nodes did not take payments.
    private var reportedReasons: [RequestID: String] = [:]

    init(longestPause: Int) {
        self.longestPause = max(longestPause, 1)
    }

    /// A chain that answers is due in every round; one that fails after two, four, eight rounds.
    private struct Pace {
        var step = 1
        /// Rounds to skip before the next attempt.
        var pause = 0
    }

    /// The chains that are due in the round that begins now.
    mutating func due(of chainIDs: [ChainID]) -> [ChainID] {
        chainIDs.filter { chainID in
            guard let pause = paces[chainID]?.pause, pause > 0 else { return true }
            paces[chainID]?.pause = pause - 1
            return false
        }
    }

    /// The report of a round; nil if nothing has changed.
    mutating func change(
        in round: SyncRound, due: [ChainID], of chainIDs: [ChainID]
    ) -> SyncRound? {
        for chainID in due {
            let hasFailed = round.problems.contains { $0.chainID == chainID }
            let step = hasFailed ? min((paces[chainID]?.step ?? 1) * 2, longestPause) : 1
            paces[chainID] = Pace(step: step, pause: step - 1)
        }
        let before = problems
        problems = chainIDs.compactMap { chainID in
            (due.contains(chainID) ? round.problems : before).first { $0.chainID == chainID }
        }
        let passedOverBefore = passedOver
        passedOver = passedOverBefore.filter { !due.contains($0.chainID) } + round.passedOver
        let isSame =
            problems.elementsEqual(before) { $0.chainID == $1.chainID && $0.code == $1.code }
            && passedOver.elementsEqual(passedOverBefore) { $0.url == $1.url && $0.code == $1.code }
        let payments = round.payments.filter { isNew($0) }
        if isSame, round.events == 0, payments.isEmpty { return nil }
        return SyncRound(
            events: round.events, problems: problems, passedOver: passedOver,
            isMoreLeft: round.isMoreLeft, payments: payments, setAside: round.setAside,
            differences: round.differences)
    }

    /// Whether a payment's change was not reported before: the reason of `notTaken` may repeat.
    private mutating func isNew(_ payment: PaymentChange) -> Bool {
        let reason = payment.kind == .notTaken ? payment.request.reason : nil
        defer { reportedReasons[payment.request.id] = reason }
        return reason == nil || reportedReasons[payment.request.id] != reason
    }
}
