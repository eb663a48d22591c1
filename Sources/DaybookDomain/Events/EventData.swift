package import DaybookEncoding

/// The content of one type of event: its name and version on disk, and its coding.
///
/// Names and keys are written here by hand and mean the same for ever.
package protocol EventData: Equatable, Sendable {
    static var type: String { get }
    static var version: UInt64 { get }
    var coded: CBOR { get }
    init(_ fields: Fields) throws(FieldError)
}

extension EventData {
    package static var version: UInt64 { 1 }
}

/// Event data that is not what its type promises.
package struct FieldError: Error, Equatable, CustomStringConvertible {
    package let field: String
    package let expected: String

    package var description: String { "field '\(field)' is not \(expected)" }
}

/// Reads the fields of a recorded map, naming the one that is wrong.
package struct Fields {
    package let record: EncodedCBOR
    private let map: EncodedMap?
    private let path: Path

    /// Where a record lies: most are right, so that it is put in words only where one is not.
    private enum Path {
        case root(String)
        indirect case field(Path, String)
        indirect case item(Path, String, Int)

        var text: String {
            switch self {
            case .root(let name): name
            case .field(let above, let name): "\(above.text).\(name)"
            case .item(let above, let name, let index): "\(above.text).\(name)[\(index)]"
            }
        }
    }

    package init(_ record: EncodedCBOR, path: String = "data") {
        self.init(record, .root(path))
    }

    private init(_ record: EncodedCBOR, _ path: Path) {
        self.record = record
        map = EncodedMap(record)
        self.path = path
    }

    /// What is recorded under a name.
    package subscript(name: String) -> EncodedCBOR? { map?[name] }

    /// The error that names a field by its whole path.
    func wrong(_ name: String, _ expected: String) -> FieldError {
        FieldError(field: "\(path.text).\(name)", expected: expected)
    }

    /// The error that names what is read here as a whole.
    func wrong(_ expected: String) -> FieldError {
        FieldError(field: path.text, expected: expected)
    }

    package func optionalText(_ name: String) throws(FieldError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.textValue else { throw wrong(name, "text") }
        return text
    }

    package func text(_ name: String) throws(FieldError) -> String {
        guard let text = try optionalText(name) else { throw wrong(name, "text") }
        return text
    }

    package func optionalNumber(_ name: String) throws(FieldError) -> UInt64? {
        guard let value = self[name] else { return nil }
        guard let number = value.uintValue else { throw wrong(name, "an unsigned integer") }
        return number
    }

    package func number(_ name: String) throws(FieldError) -> UInt64 {
        guard let number = try optionalNumber(name) else {
            throw wrong(name, "an unsigned integer")
        }
        return number
    }

    package func number32(_ name: String) throws(FieldError) -> UInt32 {
        guard let number = UInt32(exactly: try number(name)) else { throw wrong(name, "32 bits") }
        return number
    }

    package func optionalSigned(_ name: String) throws(FieldError) -> Int64? {
        guard let value = self[name] else { return nil }
        guard let number = value.intValue else { throw wrong(name, "an integer") }
        return number
    }

    package func optionalBytes(_ name: String) throws(FieldError) -> Bytes? {
        guard let value = self[name] else { return nil }
        guard let bytes = value.bytesValue else { throw wrong(name, "bytes") }
        return bytes
    }

    package func bytes(_ name: String) throws(FieldError) -> Bytes {
        guard let bytes = try optionalBytes(name) else { throw wrong(name, "bytes") }
        return bytes
    }

    /// A digest by SHA-256: 32 bytes.
    package func digest(_ name: String) throws(FieldError) -> Bytes {
        let bytes = try bytes(name)
        guard bytes.count == 32 else { throw wrong(name, "32 bytes") }
        return bytes
    }

    package func optionalFlag(_ name: String) throws(FieldError) -> Bool? {
        guard let value = self[name] else { return nil }
        guard let flag = value.boolValue else { throw wrong(name, "true or false") }
        return flag
    }

    /// A flag; an absent one is false, so that only true is ever written.
    package func flag(_ name: String) throws(FieldError) -> Bool {
        guard let value = self[name] else { return false }
        guard value.boolValue == true else { throw wrong(name, "true or absent") }
        return true
    }

    package func optionalAmount(_ name: String) throws(FieldError) -> UInt256? {
        guard let value = self[name] else { return nil }
        guard let amount = UInt256(coded: value) else { throw wrong(name, "an amount") }
        return amount
    }

    package func amount(_ name: String) throws(FieldError) -> UInt256 {
        guard let amount = try optionalAmount(name) else { throw wrong(name, "an amount") }
        return amount
    }

    package func name<Value: RawRepresentable>(_ name: String, _: Value.Type = Value.self)
        throws(FieldError) -> Value where Value.RawValue == String
    {
        guard let value = Value(rawValue: try text(name)) else {
            throw wrong(name, "a known \(Value.self)")
        }
        return value
    }

    package func optionalName<Value: RawRepresentable>(_ name: String, _: Value.Type = Value.self)
        throws(FieldError) -> Value? where Value.RawValue == String
    {
        self[name] == nil ? nil : try self.name(name)
    }

    package func fields(_ name: String) throws(FieldError) -> Fields {
        guard let fields = try optionalFields(name) else { throw wrong(name, "a map") }
        return fields
    }

    package func optionalFields(_ name: String) throws(FieldError) -> Fields? {
        guard let value = self[name] else { return nil }
        guard value.isMap else { throw wrong(name, "a map") }
        return Fields(value, .field(path, name))
    }

    /// A list of maps; an absent one is empty, so that an empty one is never written.
    package func list<Element>(
        _ name: String, _ read: (Fields) throws(FieldError) -> Element
    ) throws(FieldError) -> [Element] {
        guard let value = self[name] else { return [] }
        guard let items = value.arrayValue, !items.isEmpty else { throw wrong(name, "a list") }
        var result: [Element] = []
        result.reserveCapacity(items.count)
        for (index, item) in items.enumerated() {
            result.append(try read(Fields(item, .item(path, name, index))))
        }
        return result
    }
}

extension UInt256 {
    /// An amount's one spelling: an integer while 64 bits hold it, else its big-endian bytes.
    package var coded: CBOR {
        let bytes = minimalBytes
        guard bytes.count <= 8 else { return .bytes(bytes) }
        return .unsigned(BigEndian.number(bytes[...]))
    }

    package init?(coded value: EncodedCBOR) {
        if let small = value.uintValue {
            self.init(small)
        } else if let bytes = value.bytesValue, bytes.count > 8, bytes.first != 0 {
            self.init(bigEndian: bytes)
        } else {
            return nil
        }
    }
}

extension CBOR {
    /// Only true is written; see `Fields.flag`.
    package static func flag(_ value: Bool) -> CBOR? {
        value ? .bool(true) : nil
    }

    /// Only a list with something in it is written; see `Fields.list`.
    package static func list<Element>(_ items: [Element], _ code: (Element) -> CBOR) -> CBOR? {
        items.isEmpty ? nil : .array(items.map(code))
    }
}
