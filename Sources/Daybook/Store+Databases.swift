import DaybookEncoding
import DaybookLog
import DaybookPostgres
import DaybookSystem

/// Where a store lies.
public enum StoreLocation: Hashable, Sendable {
    /// A folder that holds everything.
    case folder(String)
    /// A log in PostgreSQL, at `postgres://[USER@]HOST[:PORT]/DATABASE/LOG`, and the folder of this
    /// machine that holds its keys, its settings and what is derived from the log.
    ///
    /// LOG is the log's id in 32 hex digits. A password does not belong into the address: libpq
    /// reads it from `PGPASSFILE` or a service file.
    case postgres(String, folder: String)
}

extension Store {
    /// Opens a store in a folder, or one whose log lies in a database.
    ///
    /// The folder of a log in a database is made if it is missing. It may then read; only the
    /// machine that made the log, or that took it over last, writes (see `takeOver`).
    ///
    /// - Throws: what `init(opening:frontEnd:acceptsClock:)` throws, and the codes that begin with
    ///   `database`.
    public init(
        opening location: StoreLocation, frontEnd: String, acceptsClock: Bool = false
    ) throws(DaybookError) {
        switch location {
        case .folder(let path):
            try self.init(opening: path, frontEnd: frontEnd, acceptsClock: acceptsClock)
        case .postgres(let address, let path):
            try Self.attach(to: address, at: path)
            try self.init(opening: path, frontEnd: frontEnd, acceptsClock: acceptsClock)
        }
    }

    /// Makes a log in a database, and the folder for it on this machine; returns the log's address.
    ///
    /// The tables are made where they are missing. `address` may name the log's id, for a log that
    /// is then imported. A creation that was interrupted can be repeated.
    ///
    /// - Throws: `storeExists`, `folderNotEmpty` and the codes that begin with `database`.
    @discardableResult
    public static func create(at path: String, inDatabase address: String)
        throws(DaybookError) -> String
    {
        do {
            let asked = try LogError.explaining { try PostgresURL(address) }
            let database = PostgresDatabase(.shared(asked.database))
            try database.prepare()
            let known = try StoreFolder(path).database()
            let id = try asked.log ?? known?.url.log ?? Entropy.bytes(LogLimits.idBytes)
            let url = PostgresURL(database: asked.database, log: id)
            if let known, known.url.log != id || known.epoch != 1 {
                throw folderIsTaken(path, by: known.url)
            }
            if known == nil { try database.checkCreation(of: id) }
            // The folder names the log before there is one, so that a crash leaves no other.
            if known == nil { _ = try StoreFolder.prepare(path) }
            try LogLocation.write(url, epoch: 1, in: path)
            do {
                try database.create(log: id)
            } catch LogError.exists {
                guard known == nil else { throw folderIsTaken(path, by: url) }
                try LogLocation.write(url, epoch: nil, in: path)
                throw DaybookError(
                    .storeExists, .store,
                    "the database has the log \(Hex.encode(id)) already: read it with --store "
                        + "\(url), and let this machine write to it by `daybook store take-over`")
            }
            return url.description
        } catch {
            throw DaybookError.from(error)
        }
    }

    private static func folderIsTaken(_ path: String, by url: PostgresURL) -> DaybookError {
        DaybookError(
            .storeExists, .store,
            "\(path) is the folder of the log \(url) already: use that with --store, or name "
                + "another folder with --home for another log")
    }

    /// The logs of a database, ascending by their ids; a part of them at a time.
    ///
    /// - Throws: the codes that begin with `database`.
    package static func logs(
        ofDatabase address: String, after last: LogInDatabase? = nil
    ) throws(DaybookError) -> [LogInDatabase] {
        do {
            let url = try LogError.explaining { try PostgresURL(address) }
            guard url.log == nil else {
                throw DaybookError(
                    .databaseURLInvalid, .store,
                    "the address names one log: leave it out to list all logs of the database")
            }
            let database = PostgresDatabase(.shared(url.database))
            if last == nil { try database.check(forWriting: false) }
            let after = last.flatMap { Hex.decode($0.id) } ?? []
            return try database.logs(after: after, limit: 1000).map { log in
                LogInDatabase(id: Hex.encode(log.id), events: log.events, writer: log.epoch)
            }
        } catch {
            throw DaybookError.from(error)
        }
    }

    /// Takes a log in a database over, so that only this folder's machine may write to it.
    ///
    /// The machine that wrote to it before can neither append nor send any more, even if it comes
    /// back. Make sure that the wallets' keys are in `keys/` of this folder: the database has none.
    /// Returns the number of the take-over.
    ///
    /// - Throws: `storeMissing`, `storeExists` and the codes that begin with `database`.
    @discardableResult
    public static func takeOver(
        _ address: String, at path: String
    ) throws(DaybookError) -> UInt64 {
        do {
            let url = try PostgresURL(ofLog: address)
            if let known = try StoreFolder(path).database() {
                guard known.url.log == url.log else { throw LogError.exists(path: path) }
            } else {
                try attach(to: address, at: path)
            }
            guard let id = url.log else { throw LogError.missing(path: address) }
            let database = PostgresDatabase(.shared(url.database))
            try database.check(forWriting: true)
            let epoch = try database.takeOver(log: id)
            try LogLocation.write(url, epoch: epoch, in: path)
            return epoch
        } catch {
            throw DaybookError.from(error)
        }
    }

    /// Makes the folder of a log in a database where it is missing; it may then read.
    ///
    /// - Throws: `storeExists` if the folder is that of another log.
    public static func attach(to address: String, at path: String) throws(DaybookError) {
        do {
            let url = try PostgresURL(ofLog: address)
            if let known = try StoreFolder(path).database() {
                guard known.url == url else {
                    throw DaybookError(
                        .storeExists, .store,
                        "\(path) is for the log at \(known.url); to move it to another address, "
                            + "take the log over there")
                }
                return
            }
            _ = try StoreFolder.prepare(path)
            try LogLocation.write(url, epoch: nil, in: path)
        } catch {
            throw DaybookError.from(error)
        }
    }

    /// The id of the log that an address names, in hex.
    package static func logID(ofAddress address: String) throws -> String {
        do {
            return Hex.encode(try PostgresURL(ofLog: address).log ?? [])
        } catch {
            throw DaybookError.from(error)
        }
    }

    /// An address with the id of a new log where it names none, and that id in hex.
    package static func newLogID(
        forAddress address: String
    ) throws -> (address: String, name: String) {
        do {
            let url = try LogError.explaining { try PostgresURL(address) }
            let id = try url.log ?? Entropy.bytes(LogLimits.idBytes)
            return (PostgresURL(database: url.database, log: id).description, Hex.encode(id))
        } catch {
            throw DaybookError.from(error)
        }
    }
}

/// A log of a database, as a list shows it.
package struct LogInDatabase: Hashable, Sendable {
    /// The log's id, in hex.
    package let id: String
    package let events: UInt64
    /// The number of the take-over whose machine writes; that of the maker is 1.
    package let writer: UInt64
}

extension StoreFolder {
    /// The log in a database that this folder is for, if there is one.
    func database() throws -> (url: PostgresURL, epoch: UInt64?)? {
        guard case .database(let url, let epoch, _) = try logPlace() else { return nil }
        return (url, epoch)
    }
}
