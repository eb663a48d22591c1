import DaybookEncoding

/// What an export is written as; `docs/FORMATS.md` describes each.
public enum ExportFileFormat: String, CaseIterable, Sendable {
    /// Frames of bytes with checksums: to keep and to move a log.
    case daybook
    /// The same as lines of JSON: to read.
    case jsonl
    /// What came to wallets and went, as a table for spreadsheets.
    case csv
    /// Every posting, as a journal of hledger.
    case hledger

    /// The format that a file's extension names; nil for an unknown one.
    ///
    /// `.daybook`, `.jsonl` and `.csv` are themselves; `.journal` is `.hledger`.
    public init?(extensionOf path: String) {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return nil }
        let text = String(name[name.index(after: dot)...])
        if Text.equal(text, "journal") {
            self = .hledger
        } else {
            self.init(rawValue: text)
        }
    }
}
