import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookReplay
import DaybookSystem

/// The rules by which a store records: its front end, settings, decider and clock.
final class JournalRules: Sendable {
    let frontEnd: String
    /// Reads the settings that decisions depend on; a session has the same ones throughout.
    let settings: @Sendable () throws -> Settings
    /// The engines that `decide` knows; the last one decides in new sessions.
    let engines: Engines
    let decide: @Sendable (State, Event) -> [Outcome]?
    let clock: @Sendable () -> UInt64
    let probe: Probe?
    /// Whether a clock that has jumped is accepted, until something is recorded.
    private let acceptsClock: Monitor<Bool>

    init(
        frontEnd: String, settings: @escaping @Sendable () throws -> Settings, engines: Engines,
        decide: @escaping @Sendable (State, Event) -> [Outcome]?,
        clock: @escaping @Sendable () -> UInt64, acceptsClock: Bool, probe: Probe?
    ) {
        self.frontEnd = frontEnd
        self.settings = settings
        self.engines = engines
        self.decide = decide
        self.clock = clock
        self.acceptsClock = Monitor(acceptsClock)
        self.probe = probe
    }

    /// Reads the clock; `last` is the time of the log's last event.
    func reading(after last: UInt64?) throws(DaybookError) -> ClockReading {
        try ClockReading(
            clock(), after: last, acceptingJumps: acceptsClock.change { $0 })
    }

    /// Ends the acceptance of a clock that has jumped, because something was recorded by it.
    func clockWasUsed() { acceptsClock.change { $0 = false } }

    /// The event that starts a session of this front end.
    func start(with settings: Settings) -> SessionStarted {
        SessionStarted(
            frontEnd: frontEnd, engine: engines.current.engine,
            libraries: [
                .init(name: "lmdb", version: LMDBVersion.text),
                .init(name: "openssl", version: LibraryVersions.openSSL),
                .init(name: "secp256k1", version: LibraryVersions.secp256k1),
            ],
            settings: settings)
    }

    static func damaged(_ damage: FieldError) -> LogError {
        LogError.damaged(position: nil, reason: "state: \(damage)")
    }
}

/// The machine's clock compared with the time of the log's last event.
///
/// A clock that is behind by up to a minute was adjusted: the log's time stands still until the
/// clock has caught up. A clock that is further behind was set back, and the log's time is set back
/// with it (`clock.set`). A jump of more than 90 days, either way, means a wrong clock: the user is
/// asked.
struct ClockReading {
    /// The time of what is recorded now, before the clock is set back if it has to be.
    let time: UInt64
    /// The time that the log must be set back to; nil if the clock was not set back.
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

    /// Larger than a step by which time services adjust a clock.
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
