import DaybookEncoding

@testable import DaybookDomain

/// The fields of recorded values, as their own code names them.
struct FieldList: Equatable {
    /// A field: its name, the kind of its value, and the fields of a map or of a list's maps.
    struct Field: Equatable {
        let name: String
        let kind: String
        var isRequired: Bool
        var inner = FieldList()
    }

    var fields: [Field] = []

    /// The fields of one value; a field is required if the value can't be read without it.
    init<Value: Recorded>(of value: Value) {
        var lister = FieldLister(without: nil)
        _ = try? Value(value, by: &lister)
        fields = lister.fields
        for index in fields.indices {
            var other = FieldLister(without: fields[index].name)
            fields[index].isRequired = (try? Value(value, by: &other)) == nil
        }
    }

    init() {}

    /// The fields of both values of a type; a field that one of them lacks is optional.
    func merged(with other: FieldList) -> FieldList {
        var merged = self
        for index in merged.fields.indices where other[merged.fields[index].name] == nil {
            merged.fields[index].isRequired = false
        }
        for var field in other.fields {
            if let index = merged.fields.firstIndex(where: { $0.name == field.name }) {
                merged.fields[index].isRequired =
                    merged.fields[index].isRequired && field.isRequired
                merged.fields[index].inner = merged.fields[index].inner.merged(with: field.inner)
            } else {
                field.isRequired = false
                merged.fields.append(field)
            }
        }
        return merged
    }

    subscript(name: String) -> Field? { fields.first { $0.name == name } }

    /// The fields as a document has them: `name` kind, with a question mark if it may be absent.
    var text: String { fields.map(\.text).joined(separator: ", ") }
}

extension FieldList.Field {
    fileprivate var text: String {
        // A flag and a list are absent for no and none.
        let mark = isRequired || kind == "flag" || kind.hasPrefix("list") ? "" : "?"
        let fields = inner.fields.isEmpty ? "" : " {\(inner.text)}"
        return "`\(name)` \(kind)\(mark)\(fields)"
    }
}

/// Lists the fields that a value's code asks for.
private struct FieldLister: FieldCoder {
    /// A required field is not there.
    struct Missing: Error {}
    typealias Failure = Missing

    private(set) var fields: [FieldList.Field] = []
    /// The field that is taken away.
    private let absent: String?

    init(without absent: String?) { self.absent = absent }

    private mutating func note(_ name: StaticString, _ kind: String, _ inner: [FieldList]) {
        let first = inner.first ?? FieldList()
        fields.append(
            FieldList.Field(
                name: "\(name)", kind: kind, isRequired: false,
                inner: inner.dropFirst().reduce(first) { $0.merged(with: $1) }))
    }

    func wrong(_ name: StaticString, _ expected: String) -> Missing { Missing() }

    mutating func optional<Value: RecordedValue>(
        _ name: StaticString, _ value: Value?
    ) -> Value? {
        guard let value, absent != "\(name)" else { return nil }
        note(name, Self.word(Value.kind), [])
        return value
    }

    mutating func optionalMap<Value: Recorded>(
        _ name: StaticString, _ value: Value?
    ) -> Value? {
        guard let value, absent != "\(name)" else { return nil }
        note(name, "map", [FieldList(of: value)])
        return value
    }

    mutating func list<Item: Recorded>(_ name: StaticString, _ items: [Item]?) -> [Item] {
        guard let items, !items.isEmpty, absent != "\(name)" else { return [] }
        note(name, "list", items.map { FieldList(of: $0) })
        return items
    }

    mutating func values<Value: RecordedValue>(
        _ name: StaticString, _ values: [Value]?
    ) -> [Value] {
        guard let values, !values.isEmpty, absent != "\(name)" else { return [] }
        note(name, "list of \(Self.word(Value.kind))", [])
        return values
    }

    /// The document's word for a kind of value.
    private static func word(_ kind: String) -> String {
        switch kind {
        case UInt64.kind: "number"
        case Int64.kind: "integer"
        case UInt256.kind: "amount"
        case Presence.kind: "flag"
        case Bool.kind: "boolean"
        case RecordedLines.kind: "list of pairs of texts"
        default: kind
        }
    }
}
