import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookMigrations
import DaybookReplay
import DaybookSystem

/// Measurements of writing a log.
extension Measurement {
    /// One durable event per commit: a front end reports a delivered callback.
    static let append = Measurement(name: "append") { place in
        let log = try Migrations.openLog(at: place.store + "/log")
        let (first, time, requests) = try log.read { snapshot in
            (snapshot.count, snapshot.lastTime, snapshot.state.callbacks.keys())
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
        if !place.writesInputs { return result }
        let made = try log.read { try $0.bytes(from: first, limit: .max) }
        try Inputs.write(commits: made.map { [$0] }, to: place.folder + "/append.commits")
        return result
    }

    /// Deleting the derived tables of a log, and building them again.
    static let rebuild = Measurement(name: "rebuild") { place in
        let log = try Migrations.openLog(at: place.store + "/log")
        let count = try log.read { Int($0.count) }
        return try time(count) { try log.rebuildDerived(progress: { _, _ in }) }
    }

    /// A hundred events per commit.
    static let batch = batch("batch", of: 100)

    /// A thousand events per commit.
    static let largeBatch = batch("batch/1000", of: 1_000)

    /// This many events per commit: the events, their leaves and indexes.
    private static func batch(_ name: String, of size: Int) -> Measurement {
        Measurement(name: name) { place in
            let records = try Inputs(of: place.store).events.prefix(place.limit)
                .map { try EventRecord.decode($0) }
            guard let id = records.first?.logID else {
                throw LogWriteError("the store has no events")
            }
            let drafts = try records.map { try PayloadDraft(again: $0) }
            try Files.createDirectories(place.folder + "/batch", mode: 0o700)
            let log = try Migrations.createLog(
                at: place.folder + "/batch/log", id: id)
            return try time(drafts.count) {
                for start in stride(from: 0, to: drafts.count, by: size) {
                    try log.write { transaction in
                        for draft in drafts[start..<min(start + size, drafts.count)] {
                            _ = try transaction.append(draft.made())
                        }
                    }
                }
            }
        }
    }
}

/// The draft that an event was made of, whose data is not encoded yet.
struct PayloadDraft {
    let position: UInt64
    let revision: UInt64
    private var draft: EventDraft
    private let data: any EventData

    init(again record: EventRecord) throws {
        func reference(_ position: UInt64) -> EventDraft.Reference {
            position == record.position ? .own : .at(position)
        }
        guard let event = try record.event() else {
            throw LogWriteError("\(record.type) is no type of an event")
        }
        (position, revision) = (record.position, record.revision)
        data = event.payload.data
        draft = EventDraft(
            stream: record.stream, type: record.type, version: record.version, time: record.time,
            session: reference(record.session), request: record.request.map(reference),
            cause: record.cause, actor: record.actor, data: [])
    }

    func made() -> EventDraft {
        var draft = draft
        draft.data = data.encoded()
        return draft
    }
}

/// The input of the measurements and baselines, taken from a store's log.
struct Inputs {
    var events: [Bytes] = []
    var links: [Bytes] = []
    /// A public key, a digest and a signature each.
    var signatures: [Bytes] = []

    init(of store: String) throws {
        let log = try EventLog(readingAt: store + "/log")
        var prepared: [RequestID: TransactionPrepared] = [:]
        let count = try log.read { $0.count }
        for position in stride(from: 0, to: count, by: 4096) {
            for record in try log.read({ try $0.records(from: position, limit: 4096) }) {
                events.append(record.bytes)
                guard let event = try record.event() else { continue }
                switch event.payload {
                case .requestReceived(let data): links.append(data.text)
                case .transactionPrepared(let data): prepared[event.request ?? 0] = data
                case .signatureMade(let data):
                    guard let work = prepared.removeValue(forKey: event.request ?? 0) else {
                        continue
                    }
                    for (input, signature) in zip(work.inputs, data.signatures) {
                        // A recoverable signature is another one with a byte behind it.
                        signatures.append(input.publicKey + input.digest + signature.prefix(64))
                    }
                default: break
                }
            }
        }
    }

    func write(to folder: String) throws {
        try Self.write(events, to: folder + "/events")
        try Self.write(links, to: folder + "/links")
        try Self.write(signatures, to: folder + "/signatures")
    }

    /// Writes records for the baselines, each preceded by its length.
    static func write(_ records: [Bytes], to path: String) throws {
        try Files.writeAtomically(path, joined(records), mode: 0o600)
    }

    /// Writes events grouped by commit: each commit is a record of records.
    static func write(commits: [[Bytes]], to path: String) throws {
        try write(commits.map(joined), to: path)
    }

    private static func joined(_ records: [Bytes]) -> Bytes {
        var bytes = Bytes()
        bytes.reserveCapacity(records.reduce(0) { $0 + $1.count + 4 })
        for record in records {
            let length = UInt32(record.count)
            for shift in stride(from: UInt32(0), to: 32, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: length >> shift))
            }
            bytes += record
        }
        return bytes
    }
}
