import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookSystem

/// Reads an export, checked, as much at a time as an import appends in one transaction.
struct ExportBatches {
    private let reader: ExportReader
    /// An item that was read and begins the next batch.
    private var held: ExportItem?

    /// So many events have a mebibyte as a rule: a commit then costs little of what they do.
    private static let events = 4096
    private static let bytes = 1 << 20
    /// So many batches' worth the outcomes of one input have at most.
    private static let most = 32

    /// A beginning of what is left of an export, and the tree over all up to its end.
    struct Batch: Sendable {
        var items: [ExportItem] = []
        var head = TreeHead(size: 0, root: .ofEmptyTree)
    }

    init(_ file: FileReader) throws {
        reader = try ExportReader { try file.next($0) }
    }

    /// The next items; nil after the trailer.
    ///
    /// A full batch still takes the outcomes of its last input, and of a decision its signatures,
    /// so that an import that is cut off leaves a log which replays. Only in a file that is not of
    /// this program's making there are too many of them, and its proof finds what is wrong.
    mutating func next() throws -> Batch? {
        var batch = Batch()
        var events = 0
        var bytes = 0
        while true {
            let isFull = events >= Self.events || bytes >= Self.bytes
            let isOverfull = events >= Self.most * Self.events || bytes >= Self.most * Self.bytes
            // Once the next item is read, the reader's tree has its leaf.
            if isFull { batch.head = reader.head() }
            guard let item = try held ?? reader.next() else { break }
            if isFull, isOverfull || Self.isBeginning(item) {
                held = item
                return batch
            }
            held = nil
            batch.items.append(item)
            switch item {
            case .event(_, let event):
                events += 1
                bytes += event.count
            case .leftOut(let run): bytes += run.hashes.count * TreeHash.length
            case .checkpoint(let note): bytes += note.count
            case .header, .trailer: break
            }
        }
        if batch.items.isEmpty { return nil }
        batch.head = reader.head()
        return batch
    }

    /// Whether an item is the input of another commit than what came before it.
    private static func isBeginning(_ item: ExportItem) -> Bool {
        guard case .event(let record, _) = item, record.cause == nil else { return false }
        return !Text.equal(record.type, SignatureMade.type)
            && !Text.equal(record.type, SignatureFailed.type)
    }
}
