import DaybookChains
package import DaybookEncoding

/// Writes fields as canonical bytes, without making a tree of values first.
package struct FieldWriter: FieldCoder {
    /// The written bytes.
    package private(set) var bytes: Bytes = []
    /// How many entries of the map that is being written there are.
    private var count = 0

    package init() { bytes.reserveCapacity(Self.usualSize) }

    /// Most events and rows have no more bytes.
    private static let usualSize = 512

    package func wrong(_ name: StaticString, _ expected: String) -> Never {
        preconditionFailure("what is written was checked when it was made")
    }

    @inline(__always)
    package mutating func optional<Value: RecordedValue>(
        _ name: StaticString, _ value: Value?
    ) -> Value? {
        guard let value else { return nil }
        count &+= 1
        // At once, because each addition asks whether the bytes are shared and have room.
        bytes.append(addingCapacity: 1 &+ name.utf8CodeUnitCount &+ value.mostBytes) { output in
            output.append(name: name)
            value.write(to: &output)
        }
        return value
    }

    package mutating func optionalMap<Value: Recorded>(
        _ name: StaticString, _ value: Value?
    ) -> Value? {
        guard let value else { return nil }
        begin(name)
        map(value)
        return value
    }

    package mutating func list<Item: Recorded>(_ name: StaticString, _ items: [Item]?) -> [Item] {
        guard let items, !items.isEmpty else { return [] }
        beginList(name, items.count)
        for item in items { map(item) }
        return items
    }

    package mutating func values<Value: RecordedValue>(
        _ name: StaticString, _ values: [Value]?
    ) -> [Value] {
        guard let values, !values.isEmpty else { return [] }
        beginList(name, values.count)
        for value in values { add(value) }
        return values
    }

    /// Writes a map.
    mutating func map<Value: Recorded>(_ value: Value) {
        let outer = count
        let start = bytes.count
        bytes.append(MajorType.map.initial)
        count = 0
        _ = Value(value, by: &self)
        if count < 24 {
            bytes[start] |= UInt8(count)
        } else {
            // Few maps have as many, which move by the byte that their count needs.
            bytes[start] |= 24
            bytes.insert(UInt8(count), at: start + 1)
        }
        count = outer
    }

    private mutating func begin(_ name: StaticString) {
        count += 1
        bytes.append(addingCapacity: 1 + name.utf8CodeUnitCount) { $0.append(name: name) }
    }

    private mutating func beginList(_ name: StaticString, _ count: Int) {
        begin(name)
        bytes.append(addingCapacity: 9) { $0.append(.array, UInt64(count)) }
    }

    private mutating func add(_ value: some RecordedValue) {
        bytes.append(addingCapacity: value.mostBytes) { value.write(to: &$0) }
    }
}

extension OutputSpan<UInt8> {
    /// Appends a field's name, which has fewer than 24 bytes.
    @inline(__always)
    fileprivate mutating func append(name: StaticString) {
        let length = name.utf8CodeUnitCount
        append(MajorType.text.initial | UInt8(truncatingIfNeeded: length))
        precondition(length < 24 && length <= freeCapacity, "names are short")
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            guard let start = buffer.baseAddress else { return }
            unsafe (start + count).initialize(from: name.utf8Start, count: length)
            count &+= length
        }
    }
}
