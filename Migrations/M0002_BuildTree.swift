internal import DaybookEncoding
internal import DaybookLMDB
internal import DaybookLog
internal import DaybookTree

/// Layout 2: the Merkle tree over the events, in rows of sixteen hashes.
///
/// The rows are those that the first programs with layout 2 wrote; should the tree ever lie in
/// other rows, that is another layout, and this migration keeps these.
enum M0002_BuildTree {
    @Sendable static func run(_ view: any StorageView) throws {
        guard let table = try view.table("tree", create: true),
            let events = try view.table("events")
        else { throw LogError.damaged(position: nil, reason: "table 'events' is missing") }
        var tree = try TreeAppender(StoredRows(view, table), size: 0)
        let cursor = try Cursor(view, events)
        var entry = try cursor.first()
        while let found = entry {
            tree.append(found.value)
            entry = try cursor.next()
        }
        tree.save()
        if let failure = tree.rows.failure { throw failure }
    }
}
