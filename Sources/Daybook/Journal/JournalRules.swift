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
