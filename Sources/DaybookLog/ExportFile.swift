internal import DaybookEncoding
internal import DaybookSystem

/// A file with an export, or a folder with the archive of a log, which reads as one export.
package struct ExportFile: Sendable {
    private enum Content {
        case file(String)
        case archive(Archive)
    }

    private let content: Content
    /// The number of bytes in all files.
    package let bytes: UInt64

    /// The export at a path; nil if there is neither a file nor a folder with segments.
    ///
    /// - Throws: `ArchiveError` for segments that are no archive of one log, `SystemError`.
    package init?(_ path: String) throws {
        switch try Files.information(path)?.kind {
        case .file?:
            content = .file(path)
            bytes = try Self.size(path)
        case .directory?:
            let archive = try Archive(Files.list(path), in: path)
            if archive.segments.isEmpty { return nil }
            content = .archive(archive)
            bytes = try archive.segments.reduce(0) { try $0 + Self.size($1.path) }
        default: return nil
        }
    }

    /// A reader from the beginning, also of an export that a reader has checked before.
    ///
    /// `taking` gets the number of bytes of each piece that is read.
    package func reader(
        isProven: Bool = false, taking: sending @escaping (Int) -> Void = { _ in }
    ) throws -> sending ExportReader {
        let open = { (path: String) throws -> ByteSource in
            let file = try FileReader(path)
            return { limit in
                let piece = try file.next(limit)
                taking(piece.count)
                return piece
            }
        }
        return switch content {
        case .file(let path): try ExportReader(open(path), isProven: isProven)
        case .archive(let archive):
            try ExportReader(archive, isProven: isProven, opening: open)
        }
    }

    private static func size(_ path: String) throws -> UInt64 {
        try Files.information(path)?.size ?? 0
    }
}
