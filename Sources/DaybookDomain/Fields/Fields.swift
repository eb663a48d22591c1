import DaybookEncoding

/// A field of recorded data that is missing or has the wrong type or value.
package struct FieldError: Error, Equatable, CustomStringConvertible {
    package let field: String
    package let expected: String

    package init(field: String, expected: String) {
        (self.field, self.expected) = (field, expected)
    }

    package var description: String { "field '\(field)' is not \(expected)" }
}

/// Reads the fields of a checked map by their names; its errors name the field by its path.
///
/// It reads what `CBORReader` does not, such as a map with a field that only a newer program has.
struct Fields: FieldCoder {
    private let map: EncodedCBOR
    /// The outermost map: its name, and where it begins.
    private let root: (name: StaticString, start: Int)

    init(_ record: EncodedCBOR, path: StaticString) {
        self.init(record, (path, record.start))
    }

    private init(_ record: EncodedCBOR, _ root: (name: StaticString, start: Int)) {
        map = record
        self.root = root
    }

    func wrong(_ name: StaticString, _ expected: String) -> FieldError {
        FieldError(field: "\(path(of: map)).\(name)", expected: expected)
    }

    private func wrong(_ item: EncodedCBOR, _ expected: String) -> FieldError {
        FieldError(field: path(of: item), expected: expected)
    }

    private func path(of value: EncodedCBOR) -> String {
        "\(root.name)\(value.path(from: root.start))"
    }

    func optional<Value: RecordedValue>(
        _ name: StaticString, _ value: Value?
    ) throws(FieldError) -> Value? {
        guard let found = map["\(name)"] else { return nil }
        do {
            return try Value(found)
        } catch {
            throw wrong(name, error == .kind ? Value.kind : Value.expected)
        }
    }

    func optionalMap<Value: Recorded>(
        _ name: StaticString, _ value: Value?
    ) throws(FieldError) -> Value? {
        guard let found = map["\(name)"] else { return nil }
        guard found.isMap else { throw wrong(name, "a map") }
        var fields = Fields(found, root)
        return try Value(value, by: &fields)
    }

    func list<Item: Recorded>(
        _ name: StaticString, _ items: [Item]?
    ) throws(FieldError) -> [Item] {
        try self.items(name).map { (item) throws(FieldError) in
            var fields = Fields(item, root)
            return try Item(nil, by: &fields)
        }
    }

    func values<Value: RecordedValue>(
        _ name: StaticString, _ values: [Value]?
    ) throws(FieldError) -> [Value] {
        try items(name).map { (item) throws(FieldError) in
            do throws(Unexpected) {
                return try Value(item)
            } catch {
                throw wrong(item, error == .kind ? Value.kind : Value.expected)
            }
        }
    }

    func lines(_ name: StaticString, _ lines: RecordedLines?) throws(FieldError) -> RecordedLines {
        for item in try items(name) where RecordedLines.line(item) == nil {
            throw wrong(item, "a pair of texts")
        }
        return map["\(name)"].map(RecordedLines.recorded) ?? .made([])
    }

    private func items(_ name: StaticString) throws(FieldError) -> [EncodedCBOR] {
        guard let value = map["\(name)"] else { return [] }
        guard let items = value.arrayValue, !items.isEmpty else { throw wrong(name, "a list") }
        return items
    }
}

extension RecordedValue {
    /// Reads a value that was checked.
    fileprivate init(_ value: EncodedCBOR) throws(Unexpected) {
        var reader = CBORReader(value.buffer, at: value.start)
        try self.init(&reader)
    }
}
