/// Why bytes are not a value of the log's format, and where.
package struct CBORError: Error, Hashable, Sendable {
    /// The offset of the byte at which the item begins that is refused.
    package let offset: Int
    /// What is wrong with it.
    package let reason: Reason

    /// An error at an offset.
    package init(offset: Int, reason: Reason) {
        self.offset = offset
        self.reason = reason
    }

    /// What can be wrong with an item.
    package enum Reason: String, Sendable {
        case truncated = "ends in the middle of an item"
        case trailingBytes = "has bytes after the value"
        case notShortest = "an integer or a length is not in its shortest form"
        case indefiniteLength = "an indefinite length or a stray break"
        case reserved = "a reserved additional information"
        case float = "a floating point number"
        case tag = "a tag"
        case simple = "a simple value other than false, true and null"
        case keyOrder = "a map's keys are not in order"
        case duplicateKey = "a map has a key twice"
        case invalidUTF8 = "a text is not UTF-8"
        case tooDeep = "more than 16 levels of arrays and maps"
    }
}

extension CBORError: CustomStringConvertible {
    /// The reason and the place, for people.
    package var description: String { "cbor at byte \(offset): \(reason.rawValue)" }
}
