import DaybookDomain
import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookReplay
import Simulator

/// Writes whatever an attacker wants into a log, with hashes, indexes and rows that fit.
enum LogForgery {
    /// Appends records as they are; revisions are put right.
    static func append(_ records: some Sequence<EventRecord>, to tables: MemoryTables) throws {
        let log = try EventLog(in: SafeStorage(tables))
        try log.write { transaction in
            for record in records {
                let revision = try transaction.revision(ofStream: record.stream)
                let record = revision == record.revision
                    ? record : record.with(.revision(revision), at: transaction.count)
                try transaction.append(verbatim: record)
            }
        }
    }
}

extension EventRecord {
    /// The altered part of an event.
    enum Change {
        case data(CBOR), time(UInt64), session(UInt64), request(UInt64?), cause(UInt64?)
        case actor(String), type(String), version(UInt64), stream(String), revision(UInt64)
    }

    /// The record with a change, at a position.
    func with(_ change: Change, at position: UInt64? = nil) -> EventRecord {
        var (stream, revision, type, version) = (stream, revision, type, version)
        var (time, session, request, cause, actor, data) = (
            time, session, request, cause, actor, data)
        switch change {
        case .data(let new): data = new
        case .time(let new): time = new
        case .session(let new): session = new
        case .request(let new): request = new
        case .cause(let new): cause = new
        case .actor(let new): actor = new
        case .type(let new): type = new
        case .version(let new): version = new
        case .stream(let new): stream = new
        case .revision(let new): revision = new
        }
        return EventRecord(
            logID: logID, position: position ?? self.position, stream: stream, revision: revision,
            type: type, version: version, time: time, session: session, request: request,
            cause: cause, actor: actor, data: data.encoded())
    }
}
