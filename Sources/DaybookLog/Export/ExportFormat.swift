package import DaybookEncoding

/// The two formats of an export, with the same content.
package enum ExportFormat: String, CaseIterable, Sendable {
    /// Frames of bytes, each with a checksum.
    case daybook
    /// Lines of JSON, for people and their tools.
    case jsonl
}

/// Returns the next bytes of an export, at most `limit`; none at its end.
package typealias ByteSource = (_ limit: Int) throws -> Bytes

/// Writes the next bytes of an export.
package typealias ByteSink = (Bytes) throws -> Void

/// Decodes a format item by item; it is one cursor over one source, and so never copied.
protocol ExportDecoder: AnyObject {
    /// The place of the current item, or of the last one.
    var place: ExportPlace { get }
    /// The next item.
    func next() throws -> ExportItem
    /// Whether the source has ended.
    func isAtEnd() throws -> Bool
}

/// Encodes items in a format.
protocol ExportEncoder: AnyObject {
    /// The bytes of the next item.
    func encode(_ item: ExportItem) -> Bytes
}
