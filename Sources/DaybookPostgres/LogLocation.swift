internal import DaybookEncoding
package import DaybookLog
internal import DaybookMigrations
internal import DaybookSystem

/// Where the log of a store lies: in a folder, or in a database.
///
/// The folder of a store whose log lies in a database has, in place of `log/`, the file `log.json`:
/// `{"log":"postgres://…/LOG","epoch":1}`. The epoch is missing where another machine writes.
package enum LogLocation: Equatable, Sendable {
    /// The folder `log/` of a store.
    case folder(String)
    /// A database; the derived tables are in a folder, or in memory where there is none.
    case database(PostgresURL, epoch: UInt64?, derived: String?)

    /// The place of the log of a store's folder.
    package init(ofStore folder: String) throws {
        let file = Self.file(in: folder)
        guard try Files.exists(file) else {
            self = .folder(folder + "/log")
            return
        }
        let content = try Files.read(file, limit: Self.fileLimit)
        guard let json = try? JSON.parse(content), let text = json["log"]?.stringValue,
            let url = try? PostgresURL(text), url.log != nil
        else {
            throw LogError.damaged(position: nil, reason: "\(file) names no log in a database")
        }
        let epoch = json["epoch"]?.intValue.flatMap { UInt64(exactly: $0) }
        self = .database(url, epoch: epoch, derived: folder + "/derived")
    }

    /// The place that a person names: a store's folder, its `log` alone, or an address.
    package init(named text: String) throws {
        if PostgresURL.isOne(text) {
            self = .database(try PostgresURL(ofLog: text), epoch: nil, derived: nil)
        } else if try Files.exists(Self.file(in: text)) || Files.exists(text + "/log") {
            try self.init(ofStore: text)
        } else {
            self = .folder(text)
        }
    }

    private static let fileLimit = 4096

    /// The file of a store's folder that names a log in a database.
    package static func file(in folder: String) -> String { folder + "/log.json" }

    /// Writes the file that names a log in a database.
    package static func write(_ url: PostgresURL, epoch: UInt64?, in folder: String) throws {
        let json = JSON.record([
            "log": .string(url.description), "epoch": epoch.map { .int($0) },
        ])
        try Files.writeAtomically(
            file(in: folder), Bytes((json.text() + "\n").utf8), mode: 0o600)
    }

    /// Opens the log for reading only; others may write to it meanwhile.
    package func openReading() throws -> EventLog {
        switch self {
        case .folder(let path): try EventLog(readingAt: path)
        case .database(let url, _, let derived):
            try Self.open(url, epoch: nil, derived: derived)
        }
    }

    /// Opens the log for writing; migrates a folder's first if its layout is older.
    package func openWriting() throws -> EventLog {
        switch self {
        case .folder(let path): try Migrations.openLog(at: path)
        case .database(let url, let epoch, let derived):
            try Self.open(url, epoch: epoch, derived: derived)
        }
    }

    /// Copies a log of this place into a folder that does not exist, durably.
    ///
    /// The copy of a log in a database is a folder, too.
    package func copy(_ log: EventLog, to folder: String) throws {
        guard case .database = self else {
            try Files.createDirectory(folder, mode: 0o700)
            return try log.copy(to: folder)
        }
        let copy = try Migrations.createLog(at: folder, id: try log.id)
        let end = try log.read { $0.count }
        var next: UInt64 = 0
        while next < end {
            let limit = Int(min(Self.pageSize, end - next))
            let page = try log.read { try $0.bytes(from: next, limit: limit) }
            try copy.write { transaction in
                for bytes in page { try transaction.append(verbatim: bytes) }
            }
            next += UInt64(page.count)
        }
        // The first to open the copy makes them again.
        let derived = LogFolder.derived(of: folder)
        if try Files.exists(derived) { try Files.removeTree(derived) }
    }

    private static let pageSize: UInt64 = 1024

    private static func open(
        _ url: PostgresURL, epoch: UInt64?, derived: String?
    ) throws -> EventLog {
        guard let id = url.log else { throw LogError.missing(path: url.description) }
        let pool = PostgresPool.shared(url.database)
        try PostgresDatabase(pool).check(forWriting: epoch != nil)
        return try EventLog(
            of: PostgresEvents(pool, log: id, epoch: epoch), derivedAt: derived)
    }
}

extension PostgresURL {
    /// Parses the address of a log.
    ///
    /// - Throws: `LogError.database` with the code `databaseURLInvalid`.
    package init(ofLog text: String) throws {
        self = try LogError.explaining {
            let url = try PostgresURL(text)
            guard url.log != nil else {
                throw PostgresError(
                    .databaseURLInvalid,
                    "the address of the database names no log: it ends with /LOG, 32 hex digits")
            }
            return url
        }
    }
}
