import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookNodes
import DaybookSystem

/// The activity of a process's stores since it began: counts for its operator, and its log.
///
/// It is read without waiting for a store, also while one waits for a disk or a database.
package final class StoreActivity: Sendable {
    /// The log of the operator; nil where nobody is told.
    package let log: OperatorLog?
    /// Whether it counts for many logs, whose chains and nodes it does not tell apart.
    private let isOfManyLogs: Bool
    /// When the process began, in microseconds since 1970.
    let start: UInt64
    private let state = Monitor(Counts())

    /// The counts at one time.
    package struct Counts: Sendable {
        /// Requests by what became of them.
        package fileprivate(set) var outcomes: [RequestOutcome: UInt64] = [:]
        /// Refused requests by the code of the refusal.
        package fileprivate(set) var refusals: [String: UInt64] = [:]
        package fileprivate(set) var lockouts: UInt64 = 0
        package fileprivate(set) var commits = CommitTimes()
        /// Calls that the store made fail, by the code of the failure.
        package fileprivate(set) var failedCalls: [String: UInt64] = [:]
        package fileprivate(set) var subscribers = 0
        package fileprivate(set) var droppedSubscribers: UInt64 = 0
        package fileprivate(set) var lostLines: UInt64 = 0
        package fileprivate(set) var nodes: [NodeNumber: NodeCourse] = [:]
        /// The last failure of a commit, and when it was; nil once another has succeeded.
        fileprivate(set) var failure: (code: String, message: String, time: UInt64)?
        /// Whether a task reads all events of the log, also those of other processes.
        fileprivate var isFollowed = false
        fileprivate var unreadable: Set<ChainID> = []
    }

    /// The counts are those of a process whose log is `log`.
    package init(
        telling log: OperatorLog? = nil, ofManyLogs isOfManyLogs: Bool = false,
        clock: () -> UInt64 = Clock.nowMicroseconds
    ) {
        self.log = log
        self.isOfManyLogs = isOfManyLogs
        start = clock()
    }

    package var counts: Counts { state.change { $0 } }

    /// The most codes that are counted apart.
    private static let codes = 200

    // MARK: - What the log records

    /// Counts the events of the log from now on, instead of the commits of this process.
    func beginFollowing() { state.change { $0.isFollowed = true } }

    /// Counts a commit, and the events that it made unless all of the log are counted.
    func noteCommit(_ answers: [Result<[Event], any Error>], microseconds: UInt64) {
        let events = state.change { counts -> [Event] in
            counts.commits.note(microseconds)
            return counts.isFollowed ? [] : answers.flatMap { (try? $0.get()) ?? [] }
        }
        if microseconds >= CommitTimes.slow { log?.note(.commitSlow) }
        for event in events { note(event) }
        var failure: DaybookError?
        for case .failure(let error) in answers {
            let error = DaybookError.from(error)
            if error.kind == .store || error.kind == .node { failure = error }
        }
        let time = Clock.monotonicMicroseconds()
        state.change { counts in
            if failure != nil { counts.commits.failed += 1 }
            counts.failure = failure.map { ($0.code.rawValue, $0.message, time) }
        }
    }

    /// Counts what an event says that an operator must know.
    func note(_ event: Event) {
        if let outcome = RequestOutcome(event.payload) {
            state.change { $0.outcomes[outcome, default: 0] += 1 }
        }
        switch event.payload {
        case .requestRefused(let data):
            state.change { Self.count(data.refusal.code.rawValue, in: &$0.refusals) }
            log?.note(.requestRefused, reason: data.refusal.code.rawValue, request: event.request)
        case .transactionFailed(let data):
            log?.note(.paymentFailed, reason: data.refusal.code.rawValue, request: event.request)
        case .transactionDropped: log?.note(.paymentLost, request: event.request)
        case .unlockLocked:
            state.change { $0.lockouts += 1 }
            log?.note(.walletLocked, request: event.request)
        case .chainUnavailable(let data) where event.request == nil && !isOfManyLogs:
            let chain = ChainID(data.chain, data.network)
            if state.change({ $0.unreadable.insert(chain).inserted }) {
                // Our own word, whatever an imported log has in its place.
                let reason = ChainFailure.Reason(rawValue: data.reason)?.rawValue
                log?.note(.chainUnavailable, about: chain.operatorName, reason: reason)
            }
        case .chainObserved(let data):
            let chain = ChainID(data.chain, data.network)
            if state.change({ $0.unreadable.remove(chain) }) != nil {
                log?.note(.chainAnswers, about: chain.operatorName)
            }
        default: break
        }
    }

    private static func count(_ code: String, in counts: inout [String: UInt64]) {
        if counts[code] != nil || counts.count < codes { counts[code, default: 0] += 1 }
    }

    // MARK: - What nobody records

    /// Counts a call that the store made fail; what a caller did wrong is none.
    package func noteFailedCall(_ code: String) {
        state.change { Self.count(code, in: &$0.failedCalls) }
        log?.note(.callFailed, reason: code)
    }

    package func subscriberBegan() { state.change { $0.subscribers += 1 } }

    package func subscriberEnded(dropped: Bool) {
        state.change { counts in
            counts.subscribers -= 1
            if dropped { counts.droppedSubscribers += 1 }
        }
        if dropped { log?.note(.subscriberDropped) }
    }

    /// Writes what the log has counted; called every second.
    package func tick(lostLines: UInt64) {
        log?.tick()
        guard lostLines > 0 else { return }
        state.change { $0.lostLines += lostLines }
        log?.note(.linesLost, count: lostLines)
    }

    // MARK: - Nodes

    /// Forgets the nodes of a chain, because others were set.
    func forgetNodes(of chain: ChainID) {
        state.change { $0.nodes = $0.nodes.filter { $0.key.chain != chain } }
    }

    /// Notes that a node has answered, with the height of its highest block where it told it.
    func noteAnswer(of node: NodeNumber, height: UInt64?, at time: UInt64) {
        if isOfManyLogs { return }
        let hadFailed = state.change { counts in
            let before = counts.nodes[node]
            counts.nodes[node] = NodeCourse(
                isUp: true, height: height ?? before?.height, answered: time)
            return before?.isUp == false
        }
        if hadFailed { log?.note(.nodeAnswers, about: node.operatorName) }
    }

    func noteFailure(of node: NodeNumber, _ reason: ChainFailure.Reason) {
        if isOfManyLogs { return }
        let isNew = state.change { counts in
            defer { counts.nodes[node, default: NodeCourse()].isUp = false }
            return counts.nodes[node]?.isUp != false
        }
        if isNew {
            log?.note(.nodeFailed, about: node.operatorName, reason: reason.rawValue)
        }
    }
}

/// A node without its address: its chain, and its place among the chain's nodes, from 1.
package struct NodeNumber: Hashable, Sendable {
    let chain: ChainID
    let number: Int

    fileprivate var operatorName: String { "\(chain.operatorName), node \(number)" }
}

/// The known facts of a node.
package struct NodeCourse: Sendable {
    var isUp = false
    /// The height of its highest block.
    var height: UInt64?
    /// When it answered last, in microseconds since 1970.
    var answered: UInt64?
}

/// The stages of a request, by its events.
package enum RequestOutcome: String, CaseIterable, Sendable {
    case received, accepted, refused, coalesced, expired, rejected, cancelled
    case signed, sent, failed, bound

    init?(_ payload: Payload) {
        switch payload {
        case .requestReceived, .remedyRequested: self = .received
        case .requestAccepted: self = .accepted
        case .requestRefused: self = .refused
        case .requestCoalesced: self = .coalesced
        case .requestExpired: self = .expired
        case .requestRejected: self = .rejected
        case .requestCancelled: self = .cancelled
        case .transactionSigned: self = .signed
        case .transactionSent: self = .sent
        case .transactionFailed: self = .failed
        case .bindingGranted: self = .bound
        case .sessionStarted, .timePassed, .clockSet, .walletAdded, .walletRenamed,
            .walletRemoved, .coinFrozen, .coinUnfrozen, .decisionMade, .unlockFailed,
            .chainObserved, .chainUnavailable, .signatureMade, .signatureFailed,
            .broadcastAnswered, .callbackDelivered, .checkpointMade, .requestDeferred,
            .decisionRefused, .unlockLocked, .paymentReceived, .paymentMade,
            .transactionPrepared, .transactionLocked, .transactionConfirmed,
            .transactionReorganised, .transactionDropped, .callbackEmitted, .labelSet, .priceSet,
            .priceWithdrawn, .checkpointCosigned, .checkpointStamped:
            return nil
        }
    }
}

/// How long commits took, as a histogram.
package struct CommitTimes: Sendable {
    /// The upper bounds of the histogram's parts, in microseconds.
    static let bounds: [UInt64] = [
        1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000,
    ]
    /// A commit that takes as long as this is slow.
    static let slow: UInt64 = 1_000_000

    /// How many commits took at most as long as each bound, and longer than the one before it.
    private(set) var counts = [UInt64](repeating: 0, count: bounds.count)
    private(set) var count: UInt64 = 0
    private(set) var sum: UInt64 = 0
    fileprivate(set) var failed: UInt64 = 0

    mutating func note(_ microseconds: UInt64) {
        count += 1
        sum += microseconds
        if let part = Self.bounds.firstIndex(where: { microseconds <= $0 }) { counts[part] += 1 }
    }
}

extension ChainID {
    /// The chain and its network, as commands name them.
    fileprivate var operatorName: String { "\(chainName.rawValue) \(networkName.rawValue)" }
}
