import DaybookLMDB

extension EventLog {
    /// What is wrong with the pages of a log's file, if anything; found without trusting them.
    ///
    /// After this, reading harms nobody. What others write later is not damaged yet.
    package static func pageFault(at path: String) throws -> LogFault? {
        do {
            try LogFolder.check(path, forWriting: false)
            let environment = try Environment.openReadOnly(path)
            // A commit or two may overwrite what says where the snapshot's pages are.
            for _ in 0..<attempts {
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
        } catch {
            throw LogError.translated(error, path: path)
        }
    }

    private static let attempts = 100

    /// The layout of a log, whether or not this program can read it.
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

    /// Opens a log for reading only; others may write to it meanwhile.
    package convenience init(readingAt path: String, by fold: (any LogFold)? = nil) throws {
        try self.init(opening: path, by: fold, EnvironmentOptions(isReadOnly: true))
    }
}
