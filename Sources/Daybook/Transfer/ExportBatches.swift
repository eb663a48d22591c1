import DaybookEncoding
import DaybookExport
import DaybookSystem
import DaybookTree

/// Reads an export, checked, as much at a time as an import appends in one transaction.
struct ExportBatches {
    private let reader: ExportReader

    /// So many events have a mebibyte as a rule: a commit then costs little of what they do.
    static let events = 4096
    static let bytes = 1 << 20

    /// A beginning of what is left of an export, and the tree over all up to its end.
    struct Batch: Sendable {
        var items: [ExportItem] = []
        var head = TreeHead(size: 0, root: .ofEmptyTree)
    }

    init(_ file: FileReader) throws {
        reader = try ExportReader { try file.next($0) }
    }

    /// The next items; nil after the trailer.
    func next() throws -> Batch? {
        var batch = Batch()
        var events = 0
        var bytes = 0
        while events < Self.events, bytes < Self.bytes, let item = try reader.next() {
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
}
