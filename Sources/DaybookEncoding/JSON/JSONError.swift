/// Why bytes are not JSON, and where.
package struct JSONError: Error, Hashable, Sendable {
    /// The offset of the byte that is refused.
    package let offset: Int
    /// What is wrong there.
    package let reason: Reason

    /// An error at an offset.
    package init(offset: Int, reason: Reason) {
        self.offset = offset
        self.reason = reason
    }

    /// What can be wrong.
    package enum Reason: String, Sendable {
        case truncated = "the text ends before the value does"
        case unexpectedCharacter = "a character that does not belong here"
        case malformedNumber = "a number that is not spelled as json has it"
        case malformedEscape = "an escape that json does not have"
        case controlCharacter = "a control character within a string"
        case loneSurrogate = "half of a surrogate pair"
        case invalidUTF8 = "a string that is not utf-8"
        case duplicateName = "an object with a name twice"
        case tooManyValues = "more values than a text of this length may have"
        case tooDeep = "too many levels of arrays and objects"
        case trailingCharacters = "something after the value"
    }
}

extension JSONError: CustomStringConvertible {
    /// The reason and the place, for people.
    package var description: String { "json at byte \(offset): \(reason.rawValue)" }
}
