package import DaybookEncoding

/// The two formats of an export, which say the same.
package enum ExportFormat: String, CaseIterable, Sendable {
    /// Frames of bytes, each with a checksum.
    case daybook
    /// Lines of JSON, which people and their tools can read.
    case jsonl
}

/// Hands out what bytes an export has next, at most as many as asked for; none at its end.
package typealias ByteSource = (_ limit: Int) throws -> Bytes

/// Takes the bytes of an export one after another.
package typealias ByteSink = (Bytes) throws -> Void

/// Takes a format apart, item by item; one cursor over one source, so never copied.
protocol ExportDecoder: AnyObject {
    /// Where the item lies that was read last or is being read.
    var place: ExportPlace { get }
    /// The next item.
    func next() throws -> ExportItem
    /// Whether there is nothing more to read.
    func isAtEnd() throws -> Bool
}

/// Spells items in a format.
protocol ExportEncoder: AnyObject {
    /// The bytes of the next item.
    func encode(_ item: ExportItem) -> Bytes
}
