/// Why JSON stands for no value of the log's format.
package enum CBORJSONError: String, Error, Sendable {
    case otherNumber = "a number that is no integer of 64 bits"
    case otherMark = "a name beginning with $ where it means nothing"
    case duplicateKey = "a map with a key twice"
    case tooDeep = "more than 16 levels of arrays and maps"
}

extension CBORJSONError: CustomStringConvertible {
    /// The reason for people.
    package var description: String { rawValue }
}
