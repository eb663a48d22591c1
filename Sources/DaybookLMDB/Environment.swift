internal import CLMDB
internal import DaybookSystem
internal import Synchronization

/// One LMDB folder, opened once per process, with LMDB's default durability and no other.
///
/// Several threads may use it, each in transactions of its own and one at a time. The map is
/// resized while no thread is in one (lmdb.h, `mdb_env_set_mapsize`). A table is opened or made
/// before other threads use the environment (lmdb.h, `mdb_dbi_open`). Safe because the handle is
/// created in `init`, freed in `deinit`, and never leaves this module.
@safe
package final class Environment: Storage {
    /// The folder with `data.mdb` and `lock.mdb`.
    package let path: String
    private let options: EnvironmentOptions
    private nonisolated(unsafe) let handle: OpaquePointer
    private let identity: OpenEnvironments.Identity
    /// The threads that are in a transaction.
    private let active = Monitor<[ThreadID]>([])
    private let poison = Atomic(false)

    private static let maximumTables: UInt32 = 32
    private static let maximumReaders: UInt32 = 510
    /// What the places of so many readers take in `lock.mdb`.
    private static let lockBytes = 32_768

    /// Opens a folder; a new environment is made in it if it has none and may be written.
    package convenience init(
        _ path: String, _ options: EnvironmentOptions = EnvironmentOptions()
    ) throws {
        try self.init(path, options, flags: options.isReadOnly ? MDB_RDONLY : 0)
    }

    /// Opens a file that nobody else can reach, without locks. See `openCopy`.
    convenience init(privateCopy path: String) throws {
        try self.init(
            path, EnvironmentOptions(isReadOnly: true), flags: MDB_RDONLY | MDB_NOLOCK)
    }

    private init(_ path: String, _ options: EnvironmentOptions, flags: Int32) throws {
        self.path = path
        self.options = options
        let isNew = try !Files.exists("\(path)/data.mdb")
        let claimed = isNew ? nil : try Self.claim(path)
        do {
            if !isNew && !options.isReadOnly { try Self.restoreTail("\(path)/data.mdb") }
            if flags & MDB_NOLOCK == 0 { try Self.reserveLock("\(path)/lock.mdb") }
            unsafe handle = try Self.openedUninterrupted(path, options, flags, isNew: isNew)
        } catch {
            if let claimed { OpenEnvironments.release(claimed) {} }
            throw error
        }
        // Of a new file only now known which one it is.
        identity = try claimed ?? Self.claim(path)
        if !options.isReadOnly { try check(unsafe mdb_reader_check(handle, nil)) }
    }

    deinit {
        precondition(
            active.change { $0.isEmpty }, "a transaction holds on to its environment")
        OpenEnvironments.release(identity) { unsafe mdb_env_close(handle) }
    }

    /// Whether only read transactions are possible.
    package var isReadOnly: Bool { options.isReadOnly }

    /// Begins a snapshot.
    package func beginRead() throws(LMDBError) -> ReadTransaction {
        let handle = unsafe try begin(UInt32(MDB_RDONLY))
        return unsafe ReadTransaction(TransactionView(handle, isWritable: false), self)
    }

    /// Waits for the writer's place and begins to write.
    package func beginWrite() throws(LMDBError) -> WriteTransaction {
        precondition(
            active.change { !$0.contains(.current) },
            "a write is never begun inside another transaction")
        try keepHeadroom()
        let handle = unsafe try begin(0)
        return unsafe WriteTransaction(TransactionView(handle, isWritable: true), self)
    }

    /// Runs `body` on a snapshot.
    package func read<Value>(_ body: (TransactionView) throws -> Value) throws -> Value {
        let transaction = try beginRead()
        return try body(transaction.view)
    }

    /// Runs `body` and commits; runs it again from the start where that is needed.
    ///
    /// That is when the map had to grow, or a signal cut the commit short.
    /// Nothing is written if `body` throws.
    package func write<Value>(_ body: (TransactionView) throws -> Value) throws -> Value {
        while true {
            switch try attempt(body) {
            case .done(let value): return value
            case .mapFull: try grow()
            case .interrupted: continue
            }
        }
    }

    package func snapshot<Value>(
        _ body: (any StorageView) throws -> Value
    ) throws -> Value {
        try read(body)
    }

    package func update<Value>(_ body: (any StorageView) throws -> Value) throws -> Value {
        try write(body)
    }

    /// How one run of a write ended.
    private enum Attempt<Value> {
        case done(Value), mapFull, interrupted
    }

    private func attempt<Value>(
        _ body: (TransactionView) throws -> Value
    ) throws -> Attempt<Value> {
        let transaction = try beginWrite()
        let view = transaction.view
        do {
            let value = try body(view)
            try transaction.commit()
            return .done(value)
        } catch {
            // The body may have made another error of it.
            if view.foundMapFull { return .mapFull }
            // Nothing is stored: LMDB itself repeats the write that decides.
            if error as? LMDBError == .interrupted { return .interrupted }
            throw error
        }
    }

    /// Makes the map twice as large; `mapFull` when it may not grow further.
    private func grow() throws(LMDBError) {
        let size = mapBytes * 2
        if size > options.maximumMapBytes { throw .mapFull }
        try resize(to: size)
    }

    /// The size of the map in this process.
    package var mapBytes: Int {
        unsafe Int(information.me_mapsize)
    }

    /// Lends the handle to a call that makes its own transaction.
    func withHandle<Value>(
        _ body: (OpaquePointer) throws(LMDBError) -> Value
    ) throws(LMDBError) -> Value {
        if isPoisoned { throw .poisoned }
        active.change { $0.append(.current) }
        defer { transactionEnded(.current) }
        return try unsafe body(handle)
    }

    /// The transaction has ended that a thread began.
    func transactionEnded(_ thread: ThreadID) {
        active.change { threads in
            if let index = threads.firstIndex(of: thread) { threads.remove(at: index) }
        }
    }

    /// Whether what is on disk and what LMDB believes may differ.
    private var isPoisoned: Bool { poison.load(ordering: .relaxed) }

    /// After these codes what is on disk and what LMDB believes may differ: no more writes here.
    func noteFailure(_ code: Int32) {
        let errors: [LMDBError] = [.panic, .corrupted, .pageNotFound]
        if code == Errno.inputOutput.rawValue || errors.contains(LMDBError(rawValue: code)) {
            poison.store(true, ordering: .relaxed)
        }
    }
}

extension Environment {
    private static func claim(_ path: String) throws -> OpenEnvironments.Identity {
        guard let file = try Files.information("\(path)/data.mdb") else {
            throw LMDBError.notFound
        }
        let identity = OpenEnvironments.Identity(device: file.device, number: file.number)
        if !OpenEnvironments.claim(identity) { throw LMDBError.alreadyOpen }
        return identity
    }

    /// Takes the space of the file in which readers announce themselves.
    ///
    /// LMDB maps it as it is: on a full disk the process would die where it writes to a page that
    /// has no space yet. Must come before LMDB locks the file, since closing it ends such locks.
    private static func reserveLock(_ path: String) throws(SystemError) {
        do throws(SystemError) {
            try Files.reserve(path, bytes: lockBytes, mode: 0o600)
        } catch {
            // What else may be wrong is LMDB's to say: it can do without the file to read.
            if error.code == .noSpace || error.code == .quotaExceeded { throw error }
        }
    }

    private static func openedUninterrupted(
        _ path: String, _ options: EnvironmentOptions, _ flags: Int32, isNew: Bool
    ) throws(LMDBError) -> OpaquePointer {
        while true {
            do throws(LMDBError) {
                return unsafe try opened(path, options, flags, isNew: isNew)
            } catch {
                if error != .interrupted { throw error }
            }
        }
    }

    private static func opened(
        _ path: String, _ options: EnvironmentOptions, _ flags: Int32, isNew: Bool
    ) throws(LMDBError) -> OpaquePointer {
        var created: OpaquePointer?
        try check(unsafe mdb_env_create(&created))
        guard let handle = unsafe created else { throw .panic }
        do throws(LMDBError) {
            try check(unsafe mdb_env_set_maxdbs(handle, maximumTables))
            try check(unsafe mdb_env_set_maxreaders(handle, maximumReaders))
            if isNew { try check(unsafe mdb_env_set_mapsize(handle, options.initialMapBytes)) }
            // Readers belong to their transaction, not to a thread: a task may change threads.
            let all = UInt32(flags | MDB_NOTLS | (options.isCache ? MDB_NOMETASYNC : 0))
            try check(unsafe mdb_env_open(handle, path, all, 0o600))
            // A map may take all that was left.
            if !Process.hasRoomForThreads {
                throw LMDBError(rawValue: Errno.outOfMemory.rawValue)
            }
        } catch {
            unsafe mdb_env_close(handle)
            throw error
        }
        return unsafe handle
    }

    private func begin(_ flags: UInt32) throws(LMDBError) -> OpaquePointer {
        if isPoisoned { throw .poisoned }
        let isNested = active.change { threads in
            defer { threads.append(.current) }
            return threads.contains(.current)
        }
        do throws(LMDBError) {
            var (code, handle) = unsafe attempt(flags)
            if code == MDB_READERS_FULL {
                // Readers that died without saying so are only cleared when somebody asks.
                try check(unsafe mdb_reader_check(self.handle, nil))
                unsafe (code, handle) = unsafe attempt(flags)
            }
            while code == MDB_MAP_RESIZED && !isNested {
                try resize(to: 0)
                unsafe (code, handle) = unsafe attempt(flags)
            }
            noteFailure(code)
            try check(code)
            guard let begun = unsafe handle else { throw .panic }
            return unsafe begun
        } catch {
            transactionEnded(.current)
            throw error
        }
    }

    private func attempt(_ flags: UInt32) -> (code: Int32, handle: OpaquePointer?) {
        var handle: OpaquePointer?
        let code = unsafe mdb_txn_begin(self.handle, nil, flags, &handle)
        return unsafe (code, handle)
    }

    /// Keeps enough free that a usual transaction never finds the map full half-way.
    private func keepHeadroom() throws(LMDBError) {
        var statistics = MDB_stat()
        try check(unsafe mdb_env_stat(handle, &statistics))
        let pages = unsafe Int(information.me_last_pgno) &+ 1
        let (used, isTooMuch) = pages.multipliedReportingOverflow(by: Int(statistics.ms_psize))
        // A damaged file may say any number of 64 bits.
        if isTooMuch || used < 0 { throw .corrupted }
        var size = mapBytes
        while size - used < options.headroomBytes && size * 2 <= options.maximumMapBytes {
            size *= 2
        }
        if size != mapBytes { try resize(to: size) }
    }

    /// Waits until no other thread is in a transaction, and resizes the map.
    ///
    /// 0 takes over the size that another process has chosen.
    private func resize(to size: Int) throws(LMDBError) {
        let code = active.change(when: { $0.allSatisfy { $0 == .current } }) { _ in
            unsafe mdb_env_set_mapsize(handle, size)
        }
        // LMDB has unmapped the old map before it failed to make the new one.
        if code != MDB_SUCCESS { poison.store(true, ordering: .relaxed) }
        try check(code)
    }

    private var information: MDB_envinfo {
        var result = unsafe MDB_envinfo()
        // Only fails for a missing handle.
        _ = unsafe mdb_env_info(handle, &result)
        return unsafe result
    }
}
