package import DaybookEncoding

/// Reads the fields of a map in one pass, if they are the expected ones in their order.
///
/// `Fields` reads what this does not, and finds the reason.
extension CBORReader: FieldCoder {
    package func wrong(_ name: StaticString, _ expected: String) -> Unexpected { .value }

    @inline(__always)
    package mutating func optional<Value: RecordedValue>(
        _ name: StaticString, _ value: Value?
    ) throws(Unexpected) -> Value? {
        take(name) ? try Value(&self) : nil
    }

    package mutating func optionalMap<Value: Recorded>(
        _ name: StaticString, _ value: Value?
    ) throws(Unexpected) -> Value? {
        take(name) ? try map(value) : nil
    }

    package mutating func list<Item: Recorded>(
        _ name: StaticString, _ items: [Item]?
    ) throws(Unexpected) -> [Item] {
        guard take(name) else { return [] }
        let count = try listCount()
        var items: [Item] = []
        items.reserveCapacity(min(count, Self.mostReserved))
        for _ in 0..<count { items.append(try map(nil)) }
        return items
    }

    package mutating func values<Value: RecordedValue>(
        _ name: StaticString, _ values: [Value]?
    ) throws(Unexpected) -> [Value] {
        guard take(name) else { return [] }
        let count = try listCount()
        var values: [Value] = []
        values.reserveCapacity(min(count, Self.mostReserved))
        for _ in 0..<count { values.append(try Value(&self)) }
        return values
    }

    /// With any claimed length of a list, memory is reserved for no more items.
    private static let mostReserved = 256

    /// Reads a map, all of whose fields the value must have.
    mutating func map<Value: Recorded>(_ value: Value?) throws(Unexpected) -> Value {
        let outer = left
        left = try count(.map)
        let value = try Value(value, by: &self)
        guard left == 0 else { throw .value }
        left = outer
        return value
    }
}
