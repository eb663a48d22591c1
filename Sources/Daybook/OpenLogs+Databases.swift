import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookPostgres
import DaybookReplay
import DaybookSystem

extension OpenLogs {
    /// The logs of a database, each with its folder below `folder`, if it has one there.
    ///
    /// A log without a folder on this machine is read without one: naming logs makes no files.
    ///
    /// - Throws: `databaseURLInvalid` if the address names a log; the codes that begin with
    ///   `database` if the database can't be used.
    package convenience init(
        ofDatabase address: String, below folder: String, frontEnd: String,
        acceptsClock: Bool = false, limits: Limits = Limits(),
        activity: StoreActivity = StoreActivity()
    ) throws(DaybookError) {
        let pool: PostgresPool
        do {
            let url = try LogError.explaining { try PostgresURL(address) }
            guard url.log == nil else {
                throw DaybookError(
                    .databaseURLInvalid, .store,
                    "the address names one log: leave it out to serve all logs of the database")
            }
            pool = PostgresPool.shared(url.database)
            try PostgresDatabase(pool).check(forWriting: false)
            Process.keepLargeBlocksApart()
            try Store.blind()
            try Store.check(frontEnd, "the front end's name")
        } catch {
            throw DaybookError.from(error)
        }
        // Each waits with one connection, so that more of them would wait for each other.
        let threads = TaskThreads(PostgresPool.mostConnections)
        var options = StoreOptions()
        options.acceptsClock = acceptsClock
        options.activity = activity
        options.run = { threads.run($0) }
        let chosen = options
        self.init(limits, on: threads, activity: activity) { id in
            // The pool keeps its connections while no log is open.
            try withExtendedLifetime(pool) {
                try Self.open(
                    id, in: pool.database, at: "\(folder)/\(id)", frontEnd: frontEnd, chosen)
            }
        }
    }

    /// Why an operator should look after the database now; nil if it can be read.
    package func problem(ofDatabase address: String) -> DaybookError? {
        do {
            let url = try LogError.explaining { try PostgresURL(address) }
            try PostgresDatabase(.shared(url.database)).check(forWriting: false)
            return activity.recentFailure
        } catch {
            return DaybookError.from(error)
        }
    }

    private static func open(
        _ id: String, in database: String, at path: String, frontEnd: String,
        _ options: StoreOptions
    ) throws -> Opened {
        guard let log = Hex.decode(id), log.count == LogLimits.idBytes else {
            throw DaybookError(.storeMissing, .store, "a log's id has 32 hex digits")
        }
        let url = PostgresURL(database: database, log: log)
        let place = try content(ofPlaceIn: path)
        let known = try StoreFolder(path).database()
        let store: Store
        if known == nil {
            store = try Store(reading: url, frontEnd: frontEnd, at: path, options)
        } else {
            try Store.attach(to: url.description, at: path)
            store = try Store(opening: path, frontEnd: frontEnd, options: options)
        }
        return Opened(store: store, isWriter: known?.epoch != nil) {
            do {
                return try content(ofPlaceIn: path) != place
            } catch {
                // As long as nobody can read it, the log stays as it was opened.
                return false
            }
        }
    }

    /// The content of the file by which a folder's machine reads or writes a log; nil without one.
    private static func content(ofPlaceIn folder: String) throws -> Bytes? {
        let file = LogLocation.file(in: folder)
        return try Files.exists(file) ? try Files.read(file, limit: 4096) : nil
    }
}

extension Store {
    /// Stores what was computed of a log for the first time, so that memory need not hold it.
    ///
    /// The addresses of three wallets are half of what a small log takes, and most of the time for
    /// opening it again (`tools/bench database/idle`).
    func storeDerived() {
        // If this fails, it stays in memory.
        try? journal.log.storeFirst()
    }

    /// Opens a log in a database that has no folder on this machine, to read it.
    ///
    /// Derived data is in memory, or in a file without a name. `path` is where the folder would
    /// be: nothing is made there.
    init(
        reading url: PostgresURL, frontEnd: String, at path: String, _ options: StoreOptions
    ) throws(DaybookError) {
        var parts = StoreParts(in: StoreFolder(path), sealing: options.scrypt)
        parts.log = {
            try LogLocation.database(url, epoch: nil, derived: nil).openWriting()
        }
        parts.sandbox = { try Environment.temporary() }
        try self.init(parts, at: path, frontEnd: frontEnd, options: options)
    }
}
