internal import DaybookEncoding
internal import DaybookLMDB
internal import DaybookLog
internal import DaybookMigrations
internal import DaybookPostgres
internal import DaybookSystem
internal import EventStores
internal import Glibc

/// A program that tests run several times at once, kill, starve of disk and make somebody else.
///
///     LogDriver [--user N] [--file-limit BYTES] [--map BYTES] [--data BYTES] COMMAND PATH [NUMBER]
///
/// Every acknowledged position goes to standard output, a line each, as soon as it is durable.
@main
struct LogDriver {
    static func main() {
        do {
            var words = Array(CommandLine.arguments.dropFirst())
            let settings = try prepare(&words)
            try run(words, settings)
        } catch {
            try? StandardStreams.write("\(error)\n", to: .error)
            Process.exit(1)
        }
    }

    /// Becomes what the options say before anything is opened.
    private static func prepare(_ words: inout [String]) throws -> DriverOptions {
        var settings = DriverOptions()
        while words.count > 1, words[0].hasPrefix("--"), let number = Int(words[1]) {
            switch words[0] {
            case "--user":
                _ = setgid(gid_t(number))
                _ = setuid(uid_t(number))
            case "--file-limit":
                _ = signal(SIGXFSZ, SIG_IGN)
                var limit = rlimit(rlim_cur: rlim_t(number), rlim_max: rlim_t(number))
                _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            case "--map":
                settings.options = EnvironmentOptions(
                    initialMapBytes: number, headroomBytes: 0, maximumMapBytes: number)
            case "--data": settings.dataBytes = number
            default: throw Misuse()
            }
            words.removeFirst(2)
        }
        return settings
    }

    private static func run(_ words: [String], _ settings: DriverOptions) throws {
        let options = settings.options
        guard words.count >= 2 else { throw Misuse() }
        let path = words[1]
        let number = words.count > 2 ? UInt64(words[2]) ?? 0 : 0
        switch words[0] {
        case "create": _ = try Migrations.createLog(at: path, options)
        case "create-if-missing":
            do {
                _ = try Migrations.createLog(at: path, options)
            } catch LogError.exists {
                // Another process was faster: its log is as good.
            }
        case "append":
            let log = try Migrations.openLog(at: path, options)
            try append(to: log, number, settings.dataBytes)
        case "open":
            try acknowledge(Migrations.openLog(at: path, options).read { $0.count })
        case "read":
            var options = options
            options.isReadOnly = true
            try acknowledge(EventLog(opening: path, options).read(readAll))
        case "insist":
            // A second try on a handle that has failed: it must not pretend that all is well.
            let log = try Migrations.openLog(at: path, options)
            do {
                try append(to: log, number, settings.dataBytes)
            } catch {
                try StandardStreams.write("\(error)\n", to: .error)
            }
            try append(to: log, number, settings.dataBytes)
        case "follow": try follow(path, until: number)
        case "load": try load(path, pausing: Int(number))
        case "migrate": try migrate(path, options, movingAtOnce: Int(number))
        case "die-writing": try die(path, options)
        case "take-readers": try takeReaders(path, options)
        default: throw Misuse()
        }
    }

    /// Appends one event a transaction, in a stream of this process.
    private static func append(to log: EventLog, _ count: UInt64, _ dataBytes: Int) throws {
        let me = "writer/\(Process.identifier)"
        for number in 0..<count {
            try acknowledge(append(number, by: me, to: log, dataBytes).position)
        }
    }

    private static func append(
        _ number: UInt64, by me: String, to log: EventLog, _ dataBytes: Int = 0
    ) throws -> EventRecord {
        let padding = CBOR.bytes(Bytes(repeating: 0x5a, count: dataBytes))
        return try log.write { transaction in
            let time = max(transaction.lastTime, Clock.nowMicroseconds())
            let session: EventDraft.Reference = transaction.count == 0 ? .own : .at(0)
            return try transaction.append(
                EventDraft(
                    stream: me, type: "sample", time: time, session: session, actor: "driver",
                    data: CBOR.record(["number": .unsigned(number), "padding": padding])
                        .encoded()))
        }
    }

    /// Appends to a log in a database until it is killed, with pauses, whatever the database does.
    ///
    /// A line has a position and the hash of its event. Unlike a store, it does not ask whether the
    /// database keeps what it acknowledges.
    private static func load(_ address: String, pausing milliseconds: Int) throws {
        let url = try PostgresURL(ofLog: address)
        guard let id = url.log else { throw Misuse() }
        let events = PostgresEvents(PostgresPool.shared(url.database), log: id, epoch: 1)
        var log: EventLog?
        var number: UInt64 = 0
        while true {
            do {
                let opened = try log ?? EventLog(of: events, derivedAt: nil)
                log = opened
                let record = try append(number, by: "writer/\(Process.identifier)", to: opened)
                number += 1
                var leaf = TreeFold()
                leaf.add(leaf: record.bytes)
                try say("event \(record.position) \(Hex.encode(leaf.root().bytes))")
                Pause.milliseconds(milliseconds)
            } catch LogError.database(let code, _, _) {
                try say("failed \(code)")
                Pause.milliseconds(200)
            }
        }
    }

    /// Reads every event, index entry and row, and tells how many events there are.
    private static func readAll(_ snapshot: LogSnapshot) throws -> UInt64 {
        for record in try snapshot.records(from: 0, limit: .max) {
            _ = try snapshot.positions(ofStream: record.stream, limit: 1)
        }
        _ = try snapshot.positions(ofSession: 0)
        _ = snapshot.streamRows.scan(prefix: [], after: nil, limit: .max)
        return snapshot.count
    }

    /// Reads events as they come, through a snapshot each time, and demands that none is missed.
    private static func follow(_ path: String, until end: UInt64) throws {
        let log = try EventLog(opening: path, EnvironmentOptions(isReadOnly: true))
        var next: UInt64 = 0
        while next < end {
            let records = try log.read { try $0.records(from: next, limit: 64) }
            for record in records {
                guard record.position == next else { throw Misuse() }
                next += 1
            }
            if records.isEmpty { usleep(200) }
        }
        try acknowledge(next)
    }

    /// Takes all places of the reader table that are left, says how many, and waits to be killed.
    private static func takeReaders(_ path: String, _ options: EnvironmentOptions) throws {
        var options = options
        options.isReadOnly = true
        let environment = try Environment(path, options)
        func takeMore(than count: UInt64) throws {
            do {
                try environment.read { _ in try takeMore(than: count + 1) }
            } catch let error as LMDBError where error == .readersFull {
                try acknowledge(count)
                while true { _ = pause() }
            }
        }
        try takeMore(than: 0)
    }

    /// Migrates a log as a later program may, and says after each step how many events are left.
    private static func migrate(
        _ path: String, _ options: EnvironmentOptions, movingAtOnce count: Int
    ) throws {
        do {
            try Migrations.migrate(
                Environment(path, options), by: NextLayout.migrations(movingAtOnce: count)
            ) { _, left in try acknowledge(left) }
        } catch {
            throw try LogFolder.explained(error, path: path, disk: path)
        }
    }

    /// Is killed in the middle of a write, with events appended and not committed.
    private static func die(_ path: String, _ options: EnvironmentOptions) throws {
        try Migrations.openLog(at: path, options).write { transaction in
            _ = try transaction.append(
                EventDraft(
                    stream: "lost", type: "sample", time: transaction.lastTime,
                    session: transaction.count == 0 ? .own : .at(0), actor: "driver",
                    data: CBOR.record([:]).encoded()))
            _ = kill(Process.identifier, SIGKILL)
        }
    }

    private static func acknowledge(_ position: UInt64) throws {
        try say("\(position)")
    }

    private static func say(_ line: String) throws {
        try StandardStreams.write(line + "\n", to: .output)
    }
}

/// The options before the command.
private struct DriverOptions {
    var options = EnvironmentOptions()
    var dataBytes = 0
}

private struct Misuse: Error {}
