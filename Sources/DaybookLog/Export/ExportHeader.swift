package import DaybookEncoding

/// The log of an export, its state when it was exported, and the part that was selected.
package struct ExportHeader: Equatable, Sendable {
    /// The log's id.
    package let logID: Bytes
    /// The size and the root of the log's tree when it was exported.
    package let head: TreeHead
    /// The part that was selected.
    package let selection: ExportSelection

    /// A header from all its parts.
    package init(logID: Bytes, head: TreeHead, selection: ExportSelection) {
        self.logID = logID
        self.head = head
        self.selection = selection
    }
}

extension ExportHeader {
    var coded: CBOR {
        .record([
            "log": .bytes(logID), "size": .unsigned(head.size), "root": .bytes(head.root.bytes),
            "selection": selection.coded,
        ])
    }

    init(_ fields: ItemFields) throws(ExportFault) {
        logID = try fields.bytes("log")
        head = TreeHead(size: try fields.number("size"), root: try fields.hash("root"))
        selection = try ExportSelection(try fields.fields("selection"))
        try fields.finish(4)
    }
}
