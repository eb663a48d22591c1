import Daybook
import DaybookCommands
import DaybookEncoding
import DaybookLog
import DaybookPostgres

extension Command {
    static let logs = Command(
        "logs", "STORE URL DIR COUNT FOLDERS", count: 5...5, does: """
            make logs in a database that have the events of a store, and folders of their writer
            Each log has another id, so that the events' bytes differ by it. The first FOLDERS of
            them have a folder DIR/ID, without keys. Prints the ids, one a line.
            """,
        changes: true
    ) { invocation in
        let words = invocation.arguments
        let source = try EventLog(readingAt: words[0] + "/log")
        let (id, events) = try source.read { ($0.logID, try $0.bytes(from: 0, limit: .max)) }
        var names: [String] = []
        let folders = try invocation.number(at: 4, "FOLDERS")
        for number in 0..<(try invocation.number(at: 3, "COUNT")) {
            let (address, name) = try Store.newLogID(forAddress: words[1])
            let folder = number < folders ? "\(words[2])/\(name)" : nil
            try make(address, at: folder, of: events, id)
            names.append(name)
        }
        try invocation.console.result(
            .record(["logs": .array(names.map { .string($0) })]),
            TerminalText(lines: names.joined(separator: "\n")))
        return .done
    }

    /// Makes a log at an address with the events of another log.
    private static func make(
        _ address: String, at folder: String?, of events: [Bytes], _ other: Bytes
    ) throws {
        let url = try PostgresURL(ofLog: address)
        guard let id = url.log else { throw LogWriteError("the address names no log") }
        let pool = PostgresPool.shared(url.database)
        try PostgresDatabase(pool).create(log: id)
        if let folder {
            try Store.attach(to: address, at: folder)
            try LogLocation.write(url, epoch: 1, in: folder)
        }
        let log = try EventLog(
            of: PostgresEvents(pool, log: id, epoch: 1), derivedAt: nil)
        try log.write { transaction in
            for var bytes in events {
                guard let place = bytes.firstRange(of: other) else {
                    throw LogWriteError("an event does not name its log")
                }
                bytes.replaceSubrange(place, with: id)
                _ = try transaction.append(verbatim: bytes)
            }
        }
    }
}
