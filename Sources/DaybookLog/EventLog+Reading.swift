import DaybookLMDB

extension EventLog {
    /// Opens a log for reading only; others may write to it meanwhile.
    package convenience init(readingAt path: String) throws {
        try self.init(opening: path, EnvironmentOptions(isReadOnly: true))
    }
}
