package import DaybookChains
package import DaybookEncoding

/// A field of recorded data that is missing or has the wrong type or value.
package struct FieldError: Error, Equatable, CustomStringConvertible {
    package let field: String
    package let expected: String

    package var description: String { "field '\(field)' is not \(expected)" }
}

/// Reads the fields of a recorded map; its errors name the field by its path.
package struct Fields {
    private let map: EncodedMap
    /// The outermost map: its name, and where it begins.
    private let root: (name: StaticString, start: Int)

    package init(_ record: EncodedCBOR, path: StaticString = "data") {
        self.init(record, (path, record.start))
    }

    private init(_ record: EncodedCBOR, _ root: (name: StaticString, start: Int)) {
        map = EncodedMap(orEmpty: record)
        self.root = root
    }

    /// The map that is read.
    package var record: EncodedCBOR { map.record }

    /// The value of a field.
    package subscript(name: String) -> EncodedCBOR? { map[name] }

    /// The error that names a field by its whole path.
    func wrong(_ name: String, _ expected: String) -> FieldError {
        FieldError(field: "\(path).\(name)", expected: expected)
    }

    /// The error that names the whole map.
    func wrong(_ expected: String) -> FieldError {
        FieldError(field: path, expected: expected)
    }

    /// The path is computed only for errors, because most records are correct.
    private var path: String { "\(root.name)\(record.path(from: root.start))" }

    package func optionalText(_ name: String) throws(FieldError) -> String? {
        guard let value = map.head(name) else { return nil }
        guard let text = map.text(value) else { throw wrong(name, "text") }
        return text
    }

    package func text(_ name: String) throws(FieldError) -> String {
        guard let text = try optionalText(name) else { throw wrong(name, "text") }
        return text
    }

    package func optionalNumber(_ name: String) throws(FieldError) -> UInt64? {
        guard let value = map.head(name) else { return nil }
        guard let number = value.uintValue else { throw wrong(name, "an unsigned integer") }
        return number
    }

    package func number(_ name: String) throws(FieldError) -> UInt64 {
        guard let number = try optionalNumber(name) else {
            throw wrong(name, "an unsigned integer")
        }
        return number
    }

    package func id<ID: EventID>(_ name: String) throws(FieldError) -> ID {
        guard let id: ID = try optionalID(name) else { throw wrong(name, "an unsigned integer") }
        return id
    }

    package func optionalID<ID: EventID>(_ name: String) throws(FieldError) -> ID? {
        guard let number = try optionalNumber(name) else { return nil }
        guard let id = ID(exactly: number) else { throw wrong(name, "an id") }
        return id
    }

    package func number32(_ name: String) throws(FieldError) -> UInt32 {
        guard let number = UInt32(exactly: try number(name)) else { throw wrong(name, "32 bits") }
        return number
    }

    package func optionalNumber32(_ name: String) throws(FieldError) -> UInt32? {
        guard let number = try optionalNumber(name) else { return nil }
        guard let number = UInt32(exactly: number) else { throw wrong(name, "32 bits") }
        return number
    }

    package func optionalSigned(_ name: String) throws(FieldError) -> Int64? {
        guard let value = map.head(name) else { return nil }
        guard let number = value.intValue else { throw wrong(name, "an integer") }
        return number
    }

    package func optionalBytes(_ name: String) throws(FieldError) -> Bytes? {
        guard let value = map.head(name) else { return nil }
        guard let bytes = map.bytes(value) else { throw wrong(name, "bytes") }
        return bytes
    }

    package func bytes(_ name: String) throws(FieldError) -> Bytes {
        guard let bytes = try optionalBytes(name) else { throw wrong(name, "bytes") }
        return bytes
    }

    /// Reads a SHA-256 digest: 32 bytes.
    package func digest(_ name: String) throws(FieldError) -> Bytes {
        let bytes = try bytes(name)
        guard bytes.count == 32 else { throw wrong(name, "32 bytes") }
        return bytes
    }

    /// Reads a transaction's id, whose bytes are in display order.
    func transactionID(_ name: String) throws(FieldError) -> TransactionID? {
        guard let range = map.head(name)?.bytesRange else { throw wrong(name, "bytes") }
        return TransactionID(displayed: record.buffer.span.extracting(range))
    }

    package func optionalFlag(_ name: String) throws(FieldError) -> Bool? {
        guard let value = map.head(name) else { return nil }
        guard let flag = value.boolValue else { throw wrong(name, "true or false") }
        return flag
    }

    /// Reads a flag. False is absent, so that it has one encoding.
    package func flag(_ name: String) throws(FieldError) -> Bool {
        guard let value = map.head(name) else { return false }
        guard value.boolValue == true else { throw wrong(name, "true or absent") }
        return true
    }

    package func optionalAmount(_ name: String) throws(FieldError) -> UInt256? {
        guard let value = map.head(name) else { return nil }
        if let small = value.uintValue { return UInt256(small) }
        guard let amount = UInt256(coded: record.part(value)) else {
            throw wrong(name, "an amount")
        }
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
        map.head(name) == nil ? nil : try self.name(name)
    }

    package func fields(_ name: String) throws(FieldError) -> Fields {
        guard let fields = try optionalFields(name) else { throw wrong(name, "a map") }
        return fields
    }

    package func optionalFields(_ name: String) throws(FieldError) -> Fields? {
        guard let value = map.head(name) else { return nil }
        guard value.isMap else { throw wrong(name, "a map") }
        return Fields(record.part(value), root)
    }

    /// Reads a list of maps. An empty list is absent, so that it has one encoding.
    package func list<Element>(
        _ name: String, _ read: (Fields) throws(FieldError) -> Element
    ) throws(FieldError) -> [Element] {
        guard var items = try items(name) else { return [] }
        var result: [Element] = []
        result.reserveCapacity(items.count)
        while let item = items.next() { result.append(try read(Fields(item, root))) }
        return result
    }

    /// The items of a list, after checking each one; nil if the list is absent.
    func items(
        _ name: String, expecting expected: String, _ isExpected: (EncodedCBOR) -> Bool
    ) throws(FieldError) -> EncodedItems? {
        let items = try items(name)
        if var left = items {
            while let item = left.next() {
                if !isExpected(item) { throw Fields(item, root).wrong(expected) }
            }
        }
        return items
    }

    private func items(_ name: String) throws(FieldError) -> EncodedItems? {
        guard let value = self[name] else { return nil }
        guard let items = value.items, items.count > 0 else { throw wrong(name, "a list") }
        return items
    }
}

extension UInt256 {
    /// The only encoding of an amount: an integer if it fits in 64 bits, else its big-endian bytes.
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
    static func id(_ id: some EventID) -> CBOR { .unsigned(id.number) }

    /// Encodes a flag: false is absent (`Fields.flag`).
    package static func flag(_ value: Bool) -> CBOR? {
        value ? .bool(true) : nil
    }

    /// Encodes a list: an empty one is absent (`Fields.list`).
    package static func list<Element>(_ items: [Element], _ code: (Element) -> CBOR) -> CBOR? {
        items.isEmpty ? nil : .array(items.map(code))
    }
}

extension Outpoint {
    /// The bytes of the transaction's id in display order.
    package var displayed: Bytes { txid.displayed }

    var coded: CBOR {
        .record(["txid": .bytes(displayed), "index": .unsigned(UInt64(index))])
    }

    init(_ fields: Fields) throws(FieldError) {
        guard let txid = try fields.transactionID("txid"),
            let index = UInt32(exactly: try fields.number("index"))
        else { throw fields.wrong("txid", "an output of a transaction") }
        self.init(txid, index)
    }
}
