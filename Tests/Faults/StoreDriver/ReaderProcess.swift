internal import DaybookDomain
internal import DaybookEncoding
internal import DaybookLinks
internal import DaybookLog
internal import DaybookReplay
internal import Glibc

/// Another process that reads a store's log while it is written to.
struct ReaderProcess {
    /// A false view that a reader is given, to see that it notices.
    enum Fault: String {
        case gap, duplicate, torn, late
    }

    struct Torn: Error {
        let position: UInt64
    }

    let log: String
    var fault: Fault?

    /// Reads events as they come, each once and in order, and says which they were by their root.
    ///
    /// Every page is a snapshot; where a page reaches its end, the log must have the same root.
    func follow() throws {
        let log = try EventLog(readingAt: log)
        var tree = TreeFold()
        while true {
            let (records, count, head) = try log.read { snapshot in
                let records = try snapshot.records(from: tree.size, limit: 512)
                return (records, snapshot.count, try snapshot.head())
            }
            for record in shown(records) {
                guard record.position == tree.size else { throw Torn(position: tree.size) }
                tree.add(leaf: record.bytes)
            }
            let root = tree.root()
            guard tree.size <= count, tree.size < count || root == head.root else {
                throw Torn(position: count)
            }
            guard tree.size == count || !records.isEmpty else { throw Torn(position: tree.size) }
            say("seen \(tree.size) \(Hex.encode(root.bytes))")
            if records.isEmpty { usleep(2000) }
        }
    }

    private func shown(_ records: [EventRecord]) -> [EventRecord] {
        guard records.count > 3, let fault else { return records }
        switch fault {
        case .gap: return Array(records[..<1] + records[2...])
        case .duplicate: return Array(records[..<2] + records[1...])
        case .late: return Array(records[..<1] + [records[2], records[1]] + records[3...])
        case .torn:
            let first = records[0]
            let torn = EventRecord(
                format: first.format, logID: first.logID, position: first.position,
                stream: first.stream, revision: first.revision, type: first.type,
                version: first.version, time: first.time, session: first.session,
                request: first.request, cause: first.cause, actor: first.actor,
                data: records[1].encodedData.bytes)
            return [torn] + records[1...]
        }
    }

    /// Decides the log again from its start, over and over, each time as it is in one snapshot.
    func replay() throws {
        let decider = Links.decider
        let log = try EventLog(readingAt: log)
        while true {
            try log.read { snapshot in
                var replayer = Replayer(decide: decider.decide)
                while case let records = try snapshot.records(from: replayer.events, limit: 256),
                    !records.isEmpty
                {
                    for record in records { replayer.feed(record) }
                }
                replayer.finish()
                guard replayer.divergences.isEmpty,
                    StateDigest.of(snapshot.state) == StateDigest.of(replayer.state)
                else { throw Torn(position: replayer.divergences.first?.position.number ?? 0) }
                say("replayed \(replayer.events)")
            }
        }
    }
}
