/// A value of the log's format: CBOR narrowed to one spelling for each value.
///
/// Of RFC 8949 it has integers, byte and text strings, arrays, maps, booleans and null. Floats,
/// tags, undefined and other simple values do not exist here, and reading refuses them.
package enum CBOR: Sendable {
    /// An integer from zero up.
    case unsigned(UInt64)
    /// The integer `-1 - n`.
    case negative(UInt64)
    /// A byte string.
    case bytes(Bytes)
    /// A text string.
    case text(String)
    /// Values in order.
    case array([CBOR])
    /// Entries in any order; writing sorts them.
    case map([Entry])
    /// True or false.
    case bool(Bool)
    /// Nothing.
    case null

    /// A key of a map and its value.
    package struct Entry: Equatable, Sendable {
        /// What the value is found by.
        package var key: CBOR
        /// What the map holds under the key.
        package var value: CBOR

        /// An entry of a key and its value.
        package init(key: CBOR, value: CBOR) {
            self.key = key
            self.value = value
        }
    }

    /// How deep arrays and maps may lie within each other.
    package static let maximumDepth = 16
}

// MARK: - Making values

extension CBOR {
    /// An integer of either sign.
    package static func int(_ value: Int64) -> CBOR {
        value < 0 ? .negative(UInt64(bitPattern: ~value)) : .unsigned(UInt64(value))
    }

    /// A map with text keys, without the fields whose value is nil.
    package static func record(_ fields: KeyValuePairs<String, CBOR?>) -> CBOR {
        var entries: [Entry] = []
        entries.reserveCapacity(fields.count)
        for (name, value) in fields {
            if let value { entries.append(Entry(key: .text(name), value: value)) }
        }
        return .map(entries)
    }

    /// A map with integer keys, without the fields whose value is nil.
    package static func envelope(_ fields: KeyValuePairs<UInt64, CBOR?>) -> CBOR {
        var entries: [Entry] = []
        entries.reserveCapacity(fields.count)
        for (number, value) in fields {
            if let value { entries.append(Entry(key: .unsigned(number), value: value)) }
        }
        return .map(entries)
    }
}

// MARK: - Taking values apart

extension CBOR {
    /// The integer, when it fits.
    package var intValue: Int64? {
        switch self {
        case .unsigned(let value): Int64(exactly: value)
        case .negative(let value): Int64(exactly: value).map(~)
        default: nil
        }
    }

    /// The integer from zero up.
    package var uintValue: UInt64? {
        if case .unsigned(let value) = self { value } else { nil }
    }

    /// The text.
    package var textValue: String? {
        if case .text(let value) = self { value } else { nil }
    }

    /// The bytes.
    package var bytesValue: Bytes? {
        if case .bytes(let value) = self { value } else { nil }
    }

    /// The values of an array.
    package var arrayValue: [CBOR]? {
        if case .array(let values) = self { values } else { nil }
    }

    /// The entries of a map.
    package var mapValue: [Entry]? {
        if case .map(let entries) = self { entries } else { nil }
    }

    /// The truth value.
    package var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// Whether this is null.
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// What a map holds under a text key.
    package subscript(key: String) -> CBOR? {
        guard case .map(let entries) = self else { return nil }
        // By index: a loop over entries would copy each value that is passed over.
        for index in entries.indices {
            if case .text(let name) = entries[index].key, Text.equal(name, key) {
                return entries[index].value
            }
        }
        return nil
    }

    /// What a map holds under an integer key.
    package subscript(key: UInt64) -> CBOR? {
        guard case .map(let entries) = self else { return nil }
        for index in entries.indices {
            if case .unsigned(key) = entries[index].key { return entries[index].value }
        }
        return nil
    }
}

// MARK: - Equality

extension CBOR: Equatable {
    /// Whether two values are the same; texts by their bytes, entries of maps in any order.
    package static func == (left: CBOR, right: CBOR) -> Bool {
        switch (left, right) {
        case (.unsigned(let left), .unsigned(let right)): left == right
        case (.negative(let left), .negative(let right)): left == right
        case (.bytes(let left), .bytes(let right)): left == right
        case (.text(let left), .text(let right)): Text.equal(left, right)
        case (.array(let left), .array(let right)): left == right
        case (.map(let left), .map(let right)): sorted(left) == sorted(right)
        case (.bool(let left), .bool(let right)): left == right
        case (.null, .null): true
        default: false
        }
    }
}
