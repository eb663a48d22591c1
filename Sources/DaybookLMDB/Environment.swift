internal import CLMDB
internal import DaybookSystem
internal import Synchronization

/// An LMDB environment, opened once per process.
///
/// Several threads may use it, each in one transaction at a time. The map is resized only while no
/// thread is in a transaction (lmdb.h, `mdb_env_set_mapsize`). Tables must be opened or created
/// before other threads use the environment (lmdb.h, `mdb_dbi_open`). Safe because the handle is
/// created in `init`, freed in `deinit`, and never leaves this module.
@safe
package final class Environment: Storage {
    /// The folder with `data.mdb` and `lock.mdb`.
    package let path: String
    let options: EnvironmentOptions
    private nonisolated(unsafe) let handle: OpaquePointer
    private let identity: OpenEnvironments.Identity
    /// The threads that are in a transaction.
    private let active = Monitor<[ThreadID]>([])
    private let poison = Atomic(false)
    let damage = DamageMark()
    /// The file's bytes, from which pages are checked.
    let mapping = Monitor<Mapping?>(nil)
    /// The pages of the last commit that was read, for the next reader of it.
    let sound = Monitor<SoundPages?>(nil)
    let isFreeListChecked = Atomic(false)

    private static let maximumTables: UInt32 = 32
    private static let maximumReaders: UInt32 = 510
    /// The size of `lock.mdb` with so many readers, rounded up.
    private static let lockBytes = 32_768

    /// Opens the environment in a folder; creates it if there is none and it may be written.
    package convenience init(
        _ path: String, _ options: EnvironmentOptions = EnvironmentOptions()
    ) throws {
        try self.init(path, options, flags: options.isReadOnly ? MDB_RDONLY : 0)
    }

    /// Opens a private copy without locks; see `openReadOnly`.
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
        // The identity of a new file is known only now.
        identity = try claimed ?? Self.claim(path)
        try checkCommits()
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
        for _ in 0..<Self.attempts {
            let handle = unsafe try begin(UInt32(MDB_RDONLY))
            let commit = unsafe UInt64(UInt(bitPattern: mdb_txn_id(handle)))
            if let pages = unsafe try ending(handle, unless: { () throws(LMDBError) in
                try checkedPages(of: commit)
            }) {
                let view = unsafe TransactionView(handle, isWritable: false, pages, damage)
                return ReadTransaction(view, self)
            }
        }
        damage.note()
        throw .corrupted
    }

    /// Waits for the writer lock and begins a write transaction.
    package func beginWrite() throws(LMDBError) -> WriteTransaction {
        precondition(
            active.change { !$0.contains(.current) },
            "a write is never begun inside another transaction")
        if damage.isFound { throw .corrupted }
        try keepHeadroom()
        let handle = unsafe try begin(0)
        let commit = unsafe UInt64(UInt(bitPattern: mdb_txn_id(handle))) &- 1
        let pages = unsafe try ending(handle, unless: { () throws(LMDBError) in
            // No other process commits meanwhile.
            let pages = try checkedPages(of: commit)
            if pages != nil { try checkFreeList() }
            return pages
        })
        guard let pages else {
            damage.note()
            throw .corrupted
        }
        return unsafe WriteTransaction(
            TransactionView(handle, isWritable: true, pages, damage), self)
    }

    /// Runs `body` on a snapshot.
    package func read<Value>(_ body: (TransactionView) throws -> Value) throws -> Value {
        let transaction = try beginRead()
        return try body(transaction.view)
    }

    /// Runs `body` and commits; writes nothing if `body` throws.
    ///
    /// `body` runs again from the start if the map has to grow or a signal interrupts the commit.
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
            // `body` may have replaced the error by another one.
            if view.foundMapFull { return .mapFull }
            // Nothing is stored: LMDB itself repeats the write that completes a commit.
            if error as? LMDBError == .interrupted { return .interrupted }
            throw error
        }
    }

    /// Doubles the size of the map; throws `mapFull` at the maximum.
    private func grow() throws(LMDBError) {
        let size = mapBytes * 2
        if size > options.maximumMapBytes { throw .mapFull }
        try resize(to: size)
    }

    /// The size of the map in this process.
    package var mapBytes: Int {
        unsafe Int(information.me_mapsize)
    }

    package var newestCommit: UInt64? {
        isPoisoned ? nil : unsafe UInt64(information.me_last_txnid)
    }

    /// Runs `body` with the handle, for calls that begin their own transaction.
    func withHandle<Value>(
        _ body: (OpaquePointer) throws(LMDBError) -> Value
    ) throws(LMDBError) -> Value {
        if isPoisoned { throw .poisoned }
        active.change { $0.append(.current) }
        defer { transactionEnded(.current) }
        return try unsafe body(handle)
    }

    /// Whether damage was found in the file.
    package var isDamaged: Bool { damage.isFound }

    /// Keeps what is known of a commit's pages for its next reader.
    func keep(_ sound: SoundPages) {
        self.sound.change { $0 = sound }
    }

    /// Notes the end of a thread's transaction.
    func transactionEnded(_ thread: ThreadID) {
        active.change { threads in
            if let index = threads.firstIndex(of: thread) { threads.remove(at: index) }
        }
    }

    /// Whether the disk and LMDB's memory may differ.
    private var isPoisoned: Bool { poison.load(ordering: .relaxed) }

    /// Poisons the handle after an error that may leave the disk and LMDB's memory different.
    func noteFailure(_ code: Int32) {
        if code == MDB_SUCCESS { return }
        damage.note(code)
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

    /// Reserves the disk space of the file in which readers register.
    ///
    /// LMDB maps the file: on a full disk, writing to a page without space would kill the process.
    /// This must happen before LMDB locks the file, since closing the file releases its locks.
    private static func reserveLock(_ path: String) throws(SystemError) {
        do throws(SystemError) {
            try Files.reserve(path, bytes: lockBytes, mode: 0o600)
        } catch {
            // LMDB reports other errors itself, and can read without the file.
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
            // The map may have taken all of the address space.
            if !Process.hasRoomForThreads {
                throw LMDBError(rawValue: Errno.outOfMemory.rawValue)
            }
        } catch {
            unsafe mdb_env_close(handle)
            throw error
        }
        return unsafe handle
    }

    /// Runs `body` in a new transaction, which is ended if there is no result.
    private func ending(
        _ handle: OpaquePointer, unless body: () throws(LMDBError) -> CheckedPages?
    ) throws(LMDBError) -> CheckedPages? {
        do throws(LMDBError) {
            if let pages = try body() { return pages }
        } catch {
            unsafe mdb_txn_abort(handle)
            transactionEnded(.current)
            throw error
        }
        unsafe mdb_txn_abort(handle)
        transactionEnded(.current)
        return nil
    }

    /// The descriptor of the file.
    var descriptor: Int32 {
        get throws(LMDBError) {
            var descriptor: Int32 = -1
            try check(unsafe mdb_env_get_fd(handle, &descriptor))
            return descriptor
        }
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
                // Readers that died are cleared only by this call.
                try check(unsafe mdb_reader_check(self.handle, nil))
                unsafe (code, handle) = unsafe attempt(flags)
            }
            while code == MDB_MAP_RESIZED && !isNested {
                try resize(to: 0)
                unsafe (code, handle) = unsafe attempt(flags)
            }
            noteFailure(code)
            // Readers hold a lock of the byte that their process number gives (mdb_reader_pid).
            if code == Errno.wouldBlock.rawValue, flags & UInt32(MDB_RDONLY) != 0 {
                throw .sameProcessNumber
            }
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

    /// Grows the map so that an ordinary transaction does not fill it.
    private func keepHeadroom() throws(LMDBError) {
        var statistics = MDB_stat()
        try check(unsafe mdb_env_stat(handle, &statistics))
        let pages = unsafe Int(information.me_last_pgno) &+ 1
        let (used, isTooMuch) = pages.multipliedReportingOverflow(by: Int(statistics.ms_psize))
        // A damaged file may have any number.
        if isTooMuch || used < 0 { throw .corrupted }
        var size = mapBytes
        while size - used < options.headroomBytes && size * 2 <= options.maximumMapBytes {
            size *= 2
        }
        if size != mapBytes { try resize(to: size) }
    }

    /// Waits until no other thread is in a transaction, and resizes the map.
    ///
    /// A size of 0 adopts the size that another process has set.
    private func resize(to size: Int) throws(LMDBError) {
        let code = active.change(when: { $0.allSatisfy { $0 == .current } }) { _ in
            unsafe mdb_env_set_mapsize(handle, size)
        }
        // LMDB unmaps the old map before it creates the new one, which failed.
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
