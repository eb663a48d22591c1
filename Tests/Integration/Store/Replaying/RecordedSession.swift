import DaybookDomain
import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookReplay

@testable import Daybook

/// A recorded log, with a replay that stands before each of its events.
struct RecordedSession: Sendable {
    let records: [EventRecord]

    static let shared = Task { () throws -> RecordedSession in
        let session = try await ScriptedSession()
        return RecordedSession(records: try await session.folder.open().allRecords())
    }

    /// Calls `body` with each outcome's index and a replayer that has taken all before it.
    func eachOutcome(_ body: (Int, Replayer) throws -> Void) throws {
        var replayer = Self.replayer()
        for (index, record) in records.enumerated() {
            if record.cause != nil { try body(index, replayer) }
            replayer.feed(record)
        }
    }

    static func replayer(_ scope: Replayer.Scope = .all) -> Replayer {
        let decider = Links.decider
        return Replayer(scope: scope, decide: decider.decide)
    }
}

extension Replayer {
    /// The divergences after these records in place of the recorded ones.
    func divergences(feeding records: [EventRecord], isWhole: Bool = false) throws
        -> [Divergence]
    {
        var replayer = self
        for record in records { replayer.feed(record) }
        replayer.finish(isWhole: isWhole)
        return replayer.divergences
    }
}

extension EventRecord {
    /// The record with another place, type or content.
    func altered(
        position: UInt64? = nil, stream: String? = nil, revision: UInt64? = nil,
        type: String? = nil, version: UInt64? = nil, time: UInt64? = nil, session: UInt64? = nil,
        request: UInt64?? = nil, cause: UInt64?? = nil, actor: String? = nil, data: CBOR? = nil
    ) -> EventRecord {
        EventRecord(
            logID: logID, position: position ?? self.position, stream: stream ?? self.stream,
            revision: revision ?? self.revision, type: type ?? self.type,
            version: version ?? self.version, time: time ?? self.time,
            session: session ?? self.session, request: request ?? self.request,
            cause: cause ?? self.cause, actor: actor ?? self.actor,
            data: (data ?? self.data).encoded())
    }
}
