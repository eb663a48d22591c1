import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookReplay
import DaybookSystem

/// By what a store records: who it is, what follows from an input, and what time it is.
final class JournalRules: Sendable {
    let frontEnd: String
    private let settings: Settings
    let decide: @Sendable (State, Event) -> [Outcome]
    let clock: @Sendable () -> UInt64
    let probe: Probe?
    /// Whether a clock that has jumped is believed, until something is recorded.
    private let acceptsClock: Monitor<Bool>

    init(
        frontEnd: String, settings: Settings,
        decide: @escaping @Sendable (State, Event) -> [Outcome],
        clock: @escaping @Sendable () -> UInt64, acceptsClock: Bool, probe: Probe?
    ) {
        self.frontEnd = frontEnd
        self.settings = settings
        self.decide = decide
        self.clock = clock
        self.acceptsClock = Monitor(acceptsClock)
        self.probe = probe
    }

    /// The clock, read now; `last` is the time of the log's last event.
    func reading(after last: UInt64?) throws(DaybookError) -> ClockReading {
        try ClockReading(
            clock(), after: last, acceptingJumps: acceptsClock.change { $0 })
    }

    /// Something was recorded by the clock: another jump has to be accepted anew.
    func clockWasUsed() { acceptsClock.change { $0 = false } }

    /// What begins a session of this front end.
    var start: SessionStarted {
        SessionStarted(
            frontEnd: frontEnd, engine: Engine.current,
            libraries: [
                .init(name: "lmdb", version: LMDBVersion.text),
                .init(name: "openssl", version: LibraryVersions.openSSL),
                .init(name: "secp256k1", version: LibraryVersions.secp256k1),
            ],
            settings: settings)
    }

    static func isSomethingDue(_ state: State, _ time: UInt64) -> Bool {
        let first = state.pending.rows(limit: 1).first
        return first.map { $0.key.first <= time } ?? false
    }

    static func damaged(_ damage: FieldError) -> LogError {
        LogError.damaged(position: nil, reason: "state: \(damage)")
    }
}

/// What the machine's clock says, held against the time of the log's last event.
///
/// Times in the log do not go back. A clock that is behind by no more than a minute was set right
/// by a moment: the log's time stands still meanwhile. One that is further behind was set back,
/// and the log's time is set back with it (`clock.set`). A jump of more than 90 days, either way,
/// is nothing that happens to a clock which is right.
struct ClockReading {
    /// The time of what is recorded now, before the clock is set back if it has to be.
    let time: UInt64
    /// What the log's time must be set back to.
    let setBackTo: UInt64?

    /// Reads the clock; `last` is the last event's time, nil for a log without events.
    ///
    /// - Throws: `clockJumped`.
    init(
        _ now: UInt64, after last: UInt64?, acceptingJumps accepts: Bool
    ) throws(DaybookError) {
        guard let last else {
            (time, setBackTo) = (now, nil)
            return
        }
        let gap = max(now, last) - min(now, last)
        if gap > Self.mostUnasked, !accepts { throw Self.jumped(now, last, days: gap / Self.day) }
        if now < last, gap > Self.standstill {
            (time, setBackTo) = (last, now)
        } else {
            (time, setBackTo) = (max(now, last), nil)
        }
    }

    /// Where clocks are set right step by step, a step is smaller.
    static let standstill: UInt64 = 60_000_000
    static let day: UInt64 = 86_400_000_000
    private static let mostUnasked = 90 * day

    private static func jumped(_ now: UInt64, _ last: UInt64, days: UInt64) -> DaybookError {
        DaybookError(
            "clockJumped", .refused,
            "this machine's clock says \(Timestamp.seconds(now)), \(days) days "
                + "\(now < last ? "before" : "after") the log's last event; set the clock, or "
                + "accept what it says if it is right")
    }
}
