import DaybookDomain
import DaybookEncoding
import DaybookLog

extension EventDraft {
    /// A draft with what a test does not care about filled in.
    static func sample(
        stream: String = "session/0", type: String = "sample", time: UInt64 = 1_000,
        session: Reference = .at(0), request: Reference? = nil, cause: UInt64? = nil,
        note: String = "x"
    ) -> EventDraft {
        EventDraft(
            stream: stream, type: type, time: time, session: session, request: request,
            cause: cause, actor: "test", data: .record(["note": .text(note)]))
    }

    /// A draft of an event that changes the state: a wallet could not be unlocked.
    static func sample(
        stream: String = "session/0", session: Reference = .at(0), request: Reference? = nil,
        wallet: UInt64
    ) -> EventDraft {
        EventDraft(
            stream: stream, type: UnlockFailed.type, time: 1_000, session: session,
            request: request, actor: "test",
            data: UnlockFailed(wallet: WalletID(wallet)).encoded())
    }
}

extension LogSnapshot {
    /// How often unlocking a wallet failed: what the samples with a wallet change in the state.
    func failures(of wallet: UInt64) -> UInt64? { state.unlocks[WalletID(wallet)]?.failures }
}

extension EventLog {
    /// Appends events.
    @discardableResult
    func add(_ drafts: EventDraft...) throws -> [EventRecord] { try add(drafts) }

    func add(_ drafts: [EventDraft]) throws -> [EventRecord] {
        try write { transaction in
            var records: [EventRecord] = []
            for draft in drafts { records.append(try transaction.append(draft)) }
            return records
        }
    }
}

extension EventLog {
    /// Checks everything but the rows of the state.
    func check() throws -> LogCheck {
        var check = try LogCheck(of: self, rows: { MemoryRows() }) { _, _ in }
        try check.run(each: { _, _, _ in }, state: nil)
        return check
    }
}
