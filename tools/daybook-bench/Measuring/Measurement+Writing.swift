import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookMigrations
import DaybookReplay
import DaybookSystem

/// Work that writes a log.
extension Measurement {
    /// One durable event each: a front end says that it opened a callback's URL.
    static let append = Measurement(name: "append") { place in
        let log = try Migrations.openLog(at: place.store + "/log", by: StateFold())
        let (first, time, requests) = try log.read { snapshot in
            (snapshot.count, snapshot.lastTime, snapshot.state.dueCallbacks())
        }
        let chosen = requests.prefix(min(place.limit, 200))
        let result = try Self.time(each: Array(chosen)) { request in
            try log.write { transaction in
                var scribe = Scribe(session: 0, frontEnd: "daybook-bench")
                try scribe.write(
                    .callbackDelivered(CallbackDelivered()), .at(request), at: time,
                    to: &transaction)
            }
        }
        let made = try log.read { try $0.bytes(from: first, limit: .max) }
        try Inputs.write(commits: made.map { [$0] }, to: place.folder + "/append.commits")
        return result
    }

    /// A hundred events to a commit.
    static let batch = batch("batch", of: 100)

    /// A thousand events to a commit.
    static let largeBatch = batch("batch/1000", of: 1_000)

    /// So many events to a commit: the events, their leaves and indexes.
    private static func batch(_ name: String, of size: Int) -> Measurement {
        Measurement(name: name) { place in
            let records = try Inputs(of: place.store).events.prefix(place.limit)
                .map { try EventRecord.decode($0) }
            guard let id = records.first?.logID else { throw LogFault("the store has no events") }
            let drafts = records.map { EventDraft(again: $0) }
            try Files.createDirectories(place.folder + "/batch", mode: 0o700)
            let log = try Migrations.createLog(
                at: place.folder + "/batch/log", id: id, by: StateFold())
            return try time(drafts.count) {
                for start in stride(from: 0, to: drafts.count, by: size) {
                    try log.write { transaction in
                        for draft in drafts[start..<min(start + size, drafts.count)] {
                            _ = try transaction.append(draft)
                        }
                    }
                }
            }
        }
    }
}

extension EventDraft {
    /// The draft that this event was made of.
    fileprivate init(again record: EventRecord) {
        func reference(_ position: UInt64) -> Reference {
            position == record.position ? .own : .at(position)
        }
        self.init(
            stream: record.stream, type: record.type, version: record.version, time: record.time,
            session: reference(record.session), request: record.request.map(reference),
            cause: record.cause, actor: record.actor, data: record.data)
    }
}
