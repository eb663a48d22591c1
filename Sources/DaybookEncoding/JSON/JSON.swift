/// A JSON value (RFC 8259) that keeps the literals of numbers and the order of members.
package enum JSON: Sendable {
    /// Null.
    case null
    /// True or false.
    case bool(Bool)
    /// A number's literal, character for character.
    case number(String)
    /// A text.
    case string(String)
    /// Values in order.
    case array([JSON])
    /// Members in order, each name once.
    case object([Member])

    /// A name and its value in an object.
    package struct Member: Equatable, Sendable {
        /// The name.
        package var name: String
        /// The value.
        package var value: JSON

        /// A member of a name and its value.
        package init(name: String, value: JSON) {
            self.name = name
            self.value = value
        }

        /// Whether names and values are the same; names by their bytes.
        package static func == (left: Member, right: Member) -> Bool {
            Text.equal(left.name, right.name) && left.value == right.value
        }
    }
}

// MARK: - Creating values

extension JSON {
    /// An integer.
    package static func int(_ value: some BinaryInteger) -> JSON { .number(String(value)) }

    /// An object of the members whose value is not nil, in the order in which they are given.
    package static func record(_ members: KeyValuePairs<String, JSON?>) -> JSON {
        .object(
            members.compactMap { member in
                member.value.map { Member(name: member.key, value: $0) }
            })
    }
}

// MARK: - Reading values

extension JSON {
    /// The text.
    package var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The number, when its literal is an integer that fits; `1.0` and `1e3` are none.
    package var intValue: Int64? {
        if case .number(let literal) = self { Int64(literal) } else { nil }
    }

    /// The number's literal.
    package var numberLiteral: String? {
        if case .number(let literal) = self { literal } else { nil }
    }

    /// The values of an array.
    package var arrayValue: [JSON]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The members of an object.
    package var objectValue: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The truth value.
    package var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// Whether this is null.
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The value of a name of an object.
    package subscript(name: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        for index in members.indices where Text.equal(members[index].name, name) {
            return members[index].value
        }
        return nil
    }
}

// MARK: - Equality

extension JSON: Equatable {
    /// Whether two values are the same; texts by their bytes, numbers by their literals.
    package static func == (left: JSON, right: JSON) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): Text.equal(left, right)
        case (.string(let left), .string(let right)): Text.equal(left, right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

/// Why bytes are not JSON, and where.
package struct JSONError: Error, Hashable, Sendable {
    /// The offset of the refused byte.
    package let offset: Int
    /// The fault there.
    package let reason: Reason

    /// An error at an offset.
    package init(offset: Int, reason: Reason) {
        self.offset = offset
        self.reason = reason
    }

    /// The kinds of faults.
    package enum Reason: String, Sendable {
        case truncated = "the text ends before the value does"
        case unexpectedCharacter = "a character that does not belong here"
        case malformedNumber = "a number that is not spelled as json has it"
        case malformedEscape = "an escape that json does not have"
        case controlCharacter = "a control character within a string"
        case loneSurrogate = "half of a surrogate pair"
        case invalidUTF8 = "a string that is not utf-8"
        case duplicateName = "an object with a name twice"
        case tooManyValues = "more values than a text of its length may"
        case tooDeep = "too many levels of arrays and objects"
        case trailingCharacters = "something after the value"
    }
}

extension JSONError: CustomStringConvertible {
    /// The reason and the place, for people.
    package var description: String { "json at byte \(offset): \(reason.rawValue)" }
}
