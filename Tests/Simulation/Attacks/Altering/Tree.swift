import DaybookEncoding

/// A record of the log or an answer of a node, as its fields lie in each other.
indirect enum Tree {
    case leaf(Leaf)
    case list([Tree])
    case fields([(name: String, value: Tree)])

    enum Leaf: Equatable {
        case number(UInt64)
        case bytes(Bytes)
        case text(String)
        case flag(Bool)
        /// A literal of JSON that is no such number, and null.
        case other(String)
    }

    /// One field that is otherwise, and all of it with that.
    struct Altered {
        let place: String
        let what: String
        let value: Tree
    }

    /// Everything with one field altered, one after the other: removed, doubled, one of `values`.
    ///
    /// `other` is the same thing as somebody else has it.
    func altered(
        beside other: Tree? = nil, values: (_ place: String, _ leaf: Leaf, _ other: Leaf?) -> [Tree]
    ) -> [Altered] {
        altered("", other, values)
    }

    private func altered(
        _ place: String, _ other: Tree?,
        _ values: (_ place: String, _ leaf: Leaf, _ other: Leaf?) -> [Tree]
    ) -> [Altered] {
        switch self {
        case .leaf(let leaf):
            var otherLeaf: Leaf?
            if case .leaf(let found)? = other { otherLeaf = found }
            return values(place, leaf, otherLeaf).map {
                Altered(place: place, what: $0.summary, value: $0)
            }
        case .list(let items):
            var others: [Tree] = []
            if case .list(let found)? = other { others = found }
            var result: [Altered] = []
            if !items.isEmpty {
                result.append(.init(place: place, what: "emptied", value: .list([])))
            }
            if items.count > 1 {
                result.append(
                    .init(place: place, what: "reversed", value: .list(items.reversed())))
            }
            for (index, item) in items.enumerated() {
                func with(_ replacement: [Tree]) -> Tree {
                    .list(Array(items[..<index]) + replacement + Array(items[(index + 1)...]))
                }
                let name = "\(place)[\(index)]"
                result.append(.init(place: name, what: "removed", value: with([])))
                result.append(.init(place: name, what: "doubled", value: with([item, item])))
                let beside = others.indices.contains(index) ? others[index] : nil
                result += item.altered(name, beside, values).map {
                    Altered(place: $0.place, what: $0.what, value: with([$0.value]))
                }
            }
            return result
        case .fields(let fields):
            var others: [(name: String, value: Tree)] = []
            if case .fields(let found)? = other { others = found }
            return fields.indices.flatMap { index -> [Altered] in
                let (name, value) = fields[index]
                let path = place.isEmpty ? name : "\(place).\(name)"
                var without = fields
                without.remove(at: index)
                let beside = others.first { $0.name == name }?.value
                return [Altered(place: path, what: "removed", value: .fields(without))]
                    + value.altered(path, beside, values).map { altered in
                        var fields = fields
                        fields[index].value = altered.value
                        return Altered(
                            place: altered.place, what: altered.what, value: .fields(fields))
                    }
            }
        }
    }

    /// Every leaf with its place.
    func leaves(_ place: String = "") -> [(place: String, leaf: Leaf)] {
        switch self {
        case .leaf(let leaf): [(place, leaf)]
        case .list(let items): items.flatMap { $0.leaves(place + "[]") }
        case .fields(let fields):
            fields.flatMap { $0.value.leaves(place.isEmpty ? $0.name : "\(place).\($0.name)") }
        }
    }

    private var summary: String {
        switch self {
        case .leaf(.number(let value)): "= \(value)"
        case .leaf(.bytes(let value)): "= \(Hex.encode(value.prefix(40)))"
        case .leaf(.text(let value)): "= '\(value.prefix(80))'"
        case .leaf(.flag(let value)): "= \(value)"
        case .leaf(.other(let value)): "= \(value)"
        case .list, .fields: "= another kind of value"
        }
    }
}

// MARK: - CBOR and JSON

extension Tree {
    init(_ value: CBOR) {
        switch value {
        case .unsigned(let number): self = .leaf(.number(number))
        case .negative(let number): self = .leaf(.other("-\(number)"))
        case .bytes(let bytes): self = .leaf(.bytes(bytes))
        case .text(let text): self = .leaf(.text(text))
        case .bool(let flag): self = .leaf(.flag(flag))
        case .null: self = .leaf(.other("null"))
        case .array(let items): self = .list(items.map { Tree($0) })
        case .map(let entries):
            self = .fields(entries.map { ($0.key.textValue ?? "", Tree($0.value)) })
        }
    }

    var cbor: CBOR {
        switch self {
        case .leaf(.number(let number)): .unsigned(number)
        case .leaf(.bytes(let bytes)): .bytes(bytes)
        case .leaf(.text(let text)): .text(text)
        case .leaf(.flag(let flag)): .bool(flag)
        case .leaf(.other(let literal)):
            literal.hasPrefix("-") ? .negative(UInt64(literal.dropFirst()) ?? 0) : .null
        case .list(let items): .array(items.map(\.cbor))
        case .fields(let fields):
            .map(fields.map { .init(key: .text($0.name), value: $0.value.cbor) })
        }
    }

    init(_ value: JSON) {
        switch value {
        case .number(let literal):
            self = .leaf(UInt64(literal).map { .number($0) } ?? .other(literal))
        case .string(let text): self = .leaf(.text(text))
        case .bool(let flag): self = .leaf(.flag(flag))
        case .null: self = .leaf(.other("null"))
        case .array(let items): self = .list(items.map { Tree($0) })
        case .object(let members): self = .fields(members.map { ($0.name, Tree($0.value)) })
        }
    }

    var json: JSON {
        switch self {
        case .leaf(.number(let number)): .number(String(number))
        case .leaf(.bytes(let bytes)): .string(Hex.encode(bytes))
        case .leaf(.text(let text)): .string(text)
        case .leaf(.flag(let flag)): .bool(flag)
        case .leaf(.other(let literal)): literal == "null" ? .null : .number(literal)
        case .list(let items): .array(items.map(\.json))
        case .fields(let fields):
            .object(fields.map { .init(name: $0.name, value: $0.value.json) })
        }
    }
}
