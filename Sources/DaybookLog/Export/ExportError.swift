package import DaybookEncoding

/// Why an export is refused, where the fault is, and up to where it is good.
package struct ExportError: Error, Equatable, Sendable {
    /// The fault.
    package let fault: ExportFault
    /// The frame or line with the fault.
    package let place: ExportPlace
    /// The last position that was read and is good; nil if there was none.
    package let lastGood: UInt64?

    /// An error from all its parts.
    package init(fault: ExportFault, place: ExportPlace, lastGood: UInt64?) {
        self.fault = fault
        self.place = place
        self.lastGood = lastGood
    }
}

extension ExportError: CustomStringConvertible {
    /// One line: the place, the fault, and the last good position.
    package var description: String {
        let good = lastGood.map { "position \($0) is the last good one" } ?? "no position is good"
        return "\(place): \(fault) (\(good))"
    }
}

/// A frame or a line of an export.
package struct ExportPlace: Equatable, Sendable {
    /// The unit that the format counts in.
    package enum Unit: String, Sendable {
        case frame, line
    }

    /// Whether it is a frame or a line.
    package let unit: Unit
    /// Its number: frames count from 0, the header; lines from 1, as in editors.
    package internal(set) var number: UInt64
    /// The offset of its first byte.
    package internal(set) var offset: UInt64

    /// A place from all its parts.
    package init(unit: Unit, number: UInt64, offset: UInt64) {
        self.unit = unit
        self.number = number
        self.offset = offset
    }
}

extension ExportPlace: CustomStringConvertible {
    /// The place for people.
    package var description: String { "\(unit.rawValue) \(number) at byte \(offset)" }
}

/// A fault of an export; `ExportError` adds the place.
package enum ExportFault: Error, Equatable, Sendable {
    /// The bytes begin like none of the formats.
    case notAnExport
    /// A newer program wrote it, or a development version before the first release.
    case unknownFormat(FormatNumberError)
    /// The bytes end before the trailer does.
    case truncated
    /// The rest of the file is zeros, as some file systems leave it after a crash.
    case zeroFilled
    /// The checksum or the leaf hash does not match the bytes.
    case altered
    /// A frame or a line is longer than the limit.
    case tooLarge(bytes: UInt64, limit: Int)
    /// A frame or a line is of a kind that this version does not know.
    case unknownKind(String)
    /// A line is not JSON.
    case notJSON(JSONError)
    /// A line is JSON, but represents no value of the log's format.
    case notAValue(CBORJSONError)
    /// A frame's content is not deterministic CBOR.
    case notCanonical(CBORError)
    /// A field is missing or has a wrong value.
    case malformed(String)
    /// An event's bytes are no event.
    case badEvent(EventRecordError)
    /// A checkpoint's bytes are no signed note, or the note's text is no checkpoint.
    case badCheckpoint(NoteError)
    /// An item is in the wrong place: a header that is not first, a second header, or none.
    case misplaced(String)
    /// A position does not follow the last one.
    case outOfOrder(expected: UInt64, found: UInt64)
    /// The event or the checkpoint belongs to another log.
    case otherLog
    /// An event is not in the selection, or an event of the selection is missing.
    case otherSelection(position: UInt64)
    /// The root in the header, a checkpoint or the trailer is not that of the events.
    case otherTree(String)
    /// The trailer's count is not the number of items.
    case otherCount(String, found: UInt64, counted: UInt64)
    /// Bytes follow the trailer.
    case trailingBytes
}

extension ExportFault: CustomStringConvertible {
    /// The fault in words, without any content of an event.
    package var description: String {
        switch self {
        case .notAnExport: "neither a .daybook nor a .jsonl export"
        case .unknownFormat(let error): error.description
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
