import DaybookEncoding

/// A folder of exports that each have the next events of a log, and that never change.
///
/// The files are named `LOG-FROM-TO.daybook`, with the log's id and the first and last position in
/// twelve digits, so that any object store keeps them in order.
package struct Archive: Sendable {
    /// A file of the archive.
    package struct Segment: Equatable, Sendable {
        /// The file's path.
        package let path: String
        /// The log's id in hex.
        package let log: String
        /// The first position.
        package let first: UInt64
        /// The last position.
        package let last: UInt64
    }

    /// The segments of one log, from position 0 on without a gap.
    package let segments: [Segment]

    /// The number of archived events.
    package var count: UInt64 { segments.last.map { $0.last + 1 } ?? 0 }

    /// Reads the names of a folder's files; `log` is a log's id in hex, or nil for the only one.
    ///
    /// - Throws: `ArchiveError` for segments of several logs, or a gap between two of them.
    package init(
        _ names: [String], in folder: String, of log: String? = nil
    ) throws(ArchiveError) {
        let all = names.compactMap { Self.segment($0, in: folder) }
        let found = all.filter { log == nil || $0.log == log }.sorted { $0.first < $1.first }
        var next: UInt64 = 0
        for segment in found {
            if segment.log != found[0].log { throw ArchiveError.severalLogs(folder) }
            if segment.first != next { throw ArchiveError.gap(folder, next: next) }
            next = segment.last + 1
        }
        segments = found
    }

    /// The path of the segment of some positions.
    package static func path(in folder: String, log: String, _ range: Range<UInt64>) -> String {
        let (first, last) = (digits(range.lowerBound), digits(range.upperBound - 1))
        return "\(folder)/\(log)-\(first)-\(last)\(suffix)"
    }

    private static let suffix = ".daybook"

    private static func digits(_ number: UInt64) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, 12 - text.utf8.count)) + text
    }

    static func segment(_ name: String, in folder: String) -> Segment? {
        guard name.hasSuffix(suffix) else { return nil }
        let parts = name.dropLast(suffix.utf8.count).split(separator: "-")
        guard parts.count == 3, parts[0].utf8.count == 2 * LogLimits.idBytes,
            let first = UInt64(parts[1]), let last = UInt64(parts[2]), first <= last,
            Position(exactly: last) != nil
        else { return nil }
        return Segment(
            path: "\(folder)/\(name)", log: String(parts[0]), first: first, last: last)
    }
}

/// Why a folder is no archive.
package enum ArchiveError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The folder has segments of more than one log.
    case severalLogs(String)
    /// A segment is missing before others.
    case gap(String, next: UInt64)
    /// A segment has other events than its name says.
    case misnamed(String)
    /// A segment is no good export.
    case damaged(String, ExportError)
    /// There is no segment.
    case empty

    /// The fault of a segment, without its path.
    var reason: String {
        switch self {
        case .damaged(_, let error): error.description
        case .misnamed: "it has other events than its name says"
        default: description
        }
    }

    package var description: String {
        switch self {
        case .severalLogs(let folder): "\(folder) has segments of several logs"
        case .gap(let folder, let next): "\(folder) has no segment that begins with event \(next)"
        case .misnamed(let path): "\(path) has other events than its name says"
        case .damaged(let path, let error): "\(path): \(error)"
        case .empty: "the archive has no segment"
        }
    }
}
