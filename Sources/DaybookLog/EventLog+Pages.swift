internal import DaybookLMDB

extension EventLog {
    /// Checks the pages of a log's file without trusting them; returns the first fault.
    ///
    /// LMDB would crash on some damaged pages. After this check, reading the log is safe.
    package static func pageFault(at path: String) throws -> LogFault? {
        do {
            try LogFolder.check(path, forWriting: false)
            return try pageFault(in: try Environment.openReadOnly(path))
        } catch {
            throw LogError.translated(error, path: path)
        }
    }

    /// Checks the pages of this log's file, as `pageFault(at:)` does; nil for a log in memory.
    package func pageFault() throws -> LogFault? {
        let storage = (events.stored as? LMDBEvents)?.storage
        guard let environment = storage as? Environment else { return nil }
        do {
            return try Self.pageFault(in: environment)
        } catch {
            throw LogError.translated(error, path: path)
        }
    }

    private static func pageFault(in environment: Environment) throws -> LogFault? {
        // Two commits may overwrite the meta page that the snapshot began from.
        for _ in 0..<pageCheckAttempts {
            do {
                let fault = try environment.read { try environment.pageFault(in: $0) }
                return fault.map { fault in
                    LogFault(.pageWrong, fault.table, "page \(fault.page): \(fault.reason)")
                }
            } catch let error as LMDBError where error == .copyOutrun {
                continue
            }
        }
        return LogFault(.pageWrong, "main", "the last two commits do not follow each other")
    }

    private static let pageCheckAttempts = 100

    /// The layout version of a log, which may be one that this program can't read.
    package static func layout(at path: String) throws -> UInt64 {
        do {
            try LogFolder.check(path, forWriting: false)
            let layout = try Environment.openReadOnly(path).read { try LogMeta.layout($0) }
            if let layout { return layout }
            throw LogError.damaged(position: nil, reason: "table 'meta' is missing")
        } catch {
            throw LogError.translated(error, path: path)
        }
    }
}
