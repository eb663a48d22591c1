import Daybook
import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookNodes
import DaybookReplay

/// What happens around a store: callers that ask, users that decide, chains, and the time.
///
/// A value: a commit that has to run again starts from the same world.
struct World {
    var random: SeededRandom
    var utxo: [Chain: UTXOSandbox]
    var icon: ICONSandbox
    var time: UInt64
    /// Requests that their user has not looked at yet.
    var open: [RequestID] = []
    /// By chain, what the next block will confirm.
    var unconfirmed: [Chain: Unconfirmed] = [:]
    /// How many requests came; Connect's callers number theirs.
    var requests: UInt64 = 0
    let keys: Keys

    /// Transactions that wait for a block since a time, and the scripts that they touch.
    struct Unconfirmed {
        var since: UInt64
        var transactions: [Bytes] = []
        var scripts: [Bytes] = []
    }

    /// A made log begins on 2026-01-01.
    static let beginning: UInt64 = 1_767_225_600_000_000
    /// So many requests wait for their user.
    private static let openRequests = 6
    /// A block comes when so many transactions wait for it, or one has waited for a minute.
    private static let blockTransactions = 8
    private static let blockMicroseconds: UInt64 = 60_000_000

    init(seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        keys = Keys(&random)
        time = Self.beginning
        utxo = [:]
        for chain in [Chain.dash, .axe] {
            guard let parameters = UTXOParameters.of(chain, .sandbox) else {
                throw LogFault("\(chain.rawValue) has no sandbox")
            }
            utxo[chain] = UTXOSandbox(MemoryRows(), parameters)
        }
        icon = ICONSandbox(MemoryRows())
    }

    /// One thing happens: a request comes, or a user decides, and whatever follows.
    mutating func step(_ scribe: inout Scribe, _ transaction: inout LogTransaction) throws {
        time += random.among(100_000...900_000)
        try passTime(&scribe, &transaction)
        if open.count < Self.openRequests || random.below(2) == 0 {
            try receive(&scribe, &transaction)
        } else {
            let id = open.remove(at: Int(random.below(UInt64(open.count))))
            try decide(id, &scribe, &transaction)
        }
        for chain in Chain.allCases {
            guard let waiting = unconfirmed[chain] else { continue }
            let isDue = waiting.since + Self.blockMicroseconds <= time
            if isDue || waiting.transactions.count >= Self.blockTransactions {
                try mine(chain, &scribe, &transaction)
            }
        }
    }

    /// Records that requests have expired, before anything else happens.
    private mutating func passTime(
        _ scribe: inout Scribe, _ transaction: inout LogTransaction
    ) throws {
        let first = transaction.state.pending.rows(limit: 1).first
        guard let first, first.key.first <= time else { return }
        try scribe.write(.timePassed(TimePassed()), at: time, to: &transaction)
        open.removeAll { transaction.state.request($0)?.status != .pending }
    }
}
