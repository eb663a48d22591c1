import DaybookEncoding
import DaybookLog
import DaybookSystem

extension Store {
    /// Takes in the events of an exported log that this store lacks.
    ///
    /// The store is one without events, which becomes that log, or one of the same log that has
    /// the beginning of it. All of the file is proven before anything is written, and every event
    /// is decided again: one that does not follow from the events before it, to the byte, or that
    /// breaks a rule of the audit, is refused with its position, and the store stays as it is.
    /// Only events of types that this program does not know are taken in unchecked, and counted.
    /// Then events are appended byte for byte, in steps. An import that was cut off can be repeated
    /// and goes on.
    /// Nothing is sent or asked: what the log says is still to be done is done by the next call
    /// that does such things, with the bytes that were signed before. For example:
    ///
    ///     try Store.create(at: home)
    ///     let store = try Store(opening: home, frontEnd: "my-app")
    ///     let summary = try await store.import(from: "/media/stick/log.daybook")
    ///
    /// - Throws: `unreadableFile`, `notAnExport`, `exportDamaged`, `exportTooNew`, `exportPartial`,
    ///   `exportChanged`, `eventInvalid`, `importDiverges`, `importFromFuture` (with the
    ///   position of the event), `otherLog`, `fork` (with the first position that differs),
    ///   `diskFull`, `storeReadOnly`.
    @discardableResult
    public func `import`(from path: String) throws -> ImportSummary {
        try facing {
            let log = journal.log
            let rules = ImportRules(decide: journal.decide, now: clock())
            let (export, notChecked) = try log.read { snapshot in
                let export = try ProvenExport(
                    for: log, snapshot, rules, Self.batches(of: path))
                let notChecked = try rules.decideAgain(export, after: snapshot) {
                    try Self.batches(of: path)
                }
                return (export, notChecked)
            }
            probe?("proven")
            let wasEmpty = try log.read { $0.count } == 0
            let added = try Importing(log: log, probe: probe).run(
                Self.batches(of: path), export)
            let head = try log.read { try $0.head() }
            return ImportSummary(
                status: added == 0 ? .unchanged : wasEmpty ? .restored : .continued,
                events: head.size, added: added,
                notChecked: added == 0 ? 0 : notChecked,
                root: Hex.encode(head.root.bytes))
        }
    }

    /// The file from its beginning.
    private static func batches(of path: String) throws -> sending ExportBatches {
        let file: FileReader
        do throws(SystemError) {
            file = try FileReader(path)
        } catch {
            throw DaybookError("unreadableFile", .usage, error.description)
        }
        return try ExportBatches(file)
    }
}
