package import DaybookEncoding
package import DaybookLog
package import DaybookTree

/// What can be wrong with an export; `ExportError` adds where.
package enum ExportFault: Error, Equatable, Sendable {
    /// The bytes begin like neither format.
    case notAnExport
    /// A newer program wrote it.
    case tooNew(found: UInt64, known: UInt64)
    /// The bytes end before the trailer does.
    case truncated
    /// The file was filled up with zeros, as some file systems do after a crash.
    case zeroFilled
    /// The checksum or the leaf hash says that these are not the bytes that were written.
    case altered
    /// A frame or a line is longer than any can be.
    case tooLarge(bytes: UInt64, limit: Int)
    /// A frame or a line of a kind that this version does not have.
    case unknownKind(String)
    /// A line is not JSON.
    case notJSON(JSONError)
    /// A line is JSON that stands for no value of the log's format.
    case notAValue(CBORJSONError)
    /// A frame's content is not the one spelling of a value.
    case notCanonical(CBORError)
    /// What is found under a name is not what belongs there.
    case malformed(String)
    /// The event is none.
    case badEvent(EventRecordError)
    /// The note is none, or its text is no checkpoint.
    case badCheckpoint(NoteError)
    /// A header that is not first, a second one, or none.
    case misplaced(String)
    /// The next position is another one.
    case outOfOrder(expected: UInt64, found: UInt64)
    /// The event or the checkpoint belongs to another log.
    case otherLog
    /// An event that was not asked for, or one that was and is missing.
    case otherSelection(position: UInt64)
    /// The events do not add up to what the header, a checkpoint or the trailer says.
    case otherTree(String)
    /// The trailer counts other than what there was.
    case otherCount(String, found: UInt64, counted: UInt64)
    /// There is something after the trailer.
    case trailingBytes
}

extension ExportFault: CustomStringConvertible {
    /// What is wrong, for people, without anything of an event's content.
    package var description: String {
        switch self {
        case .notAnExport: "neither a .daybook nor a .jsonl export"
        case .tooNew(let found, let known):
            "version \(found) of the format, and this program knows \(known)"
        case .truncated: "it ends here, before its trailer: the rest is missing"
        case .zeroFilled: "nothing but zeros from here on: the rest was lost"
        case .altered: "it was altered after it was written"
        case .tooLarge(let bytes, let limit): "\(bytes) bytes, more than the \(limit) there can be"
        case .unknownKind(let kind): "an unknown kind of item '\(kind)'"
        case .notJSON(let error): "\(error)"
        case .notAValue(let error): "\(error)"
        case .notCanonical(let error): "\(error)"
        case .malformed(let name): "its '\(name)' is missing or not what it must be"
        case .badEvent(let error): "\(error)"
        case .badCheckpoint(let error): "\(error)"
        case .misplaced(let item): "a \(item) does not belong here"
        case .outOfOrder(let expected, let found):
            "position \(found) where position \(expected) must follow"
        case .otherLog: "it belongs to another log"
        case .otherSelection(let position): "event \(position) and the selection do not agree"
        case .otherTree(let item): "the root in the \(item) is not that of the events"
        case .otherCount(let name, let found, let counted):
            "the trailer counts \(found) \(name), and there are \(counted)"
        case .trailingBytes: "something follows the trailer"
        }
    }
}
