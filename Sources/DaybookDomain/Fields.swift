package import DaybookChains
package import DaybookEncoding

/// Event data that is not what its type promises.
package struct FieldError: Error, Equatable, CustomStringConvertible {
    package let field: String
    package let expected: String

    package var description: String { "field '\(field)' is not \(expected)" }
}

/// Reads the fields of a recorded map, naming the one that is wrong.
package struct Fields {
    private let map: EncodedMap
    /// What everything is part of: its name and where it begins.
    private let root: (name: StaticString, start: Int)

    package init(_ record: EncodedCBOR, path: StaticString = "data") {
        self.init(record, (path, record.start))
    }

    private init(_ record: EncodedCBOR, _ root: (name: StaticString, start: Int)) {
        map = EncodedMap(orEmpty: record)
        self.root = root
    }

    /// What is read here.
    package var record: EncodedCBOR { map.record }

    /// What is recorded under a name.
    package subscript(name: String) -> EncodedCBOR? { map[name] }

    /// The error that names a field by its whole path.
    func wrong(_ name: String, _ expected: String) -> FieldError {
        FieldError(field: "\(path).\(name)", expected: expected)
    }

    /// The error that names what is read here as a whole.
    func wrong(_ expected: String) -> FieldError {
        FieldError(field: path, expected: expected)
    }

    /// Most records are right: where one lies is put in words only where it is not.
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
        ID(try number(name))
    }

    package func optionalID<ID: EventID>(_ name: String) throws(FieldError) -> ID? {
        try optionalNumber(name).map { ID($0) }
    }

    package func number32(_ name: String) throws(FieldError) -> UInt32 {
        guard let number = UInt32(exactly: try number(name)) else { throw wrong(name, "32 bits") }
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

    /// A digest by SHA-256: 32 bytes.
    package func digest(_ name: String) throws(FieldError) -> Bytes {
        let bytes = try bytes(name)
        guard bytes.count == 32 else { throw wrong(name, "32 bytes") }
        return bytes
    }

    /// A transaction's id in the bytes of a field, which have the order in which it is displayed.
    func transactionID(_ name: String) throws(FieldError) -> TransactionID? {
        guard let range = map.head(name)?.bytesRange else { throw wrong(name, "bytes") }
        return TransactionID(displayed: record.buffer.span.extracting(range))
    }

    package func optionalFlag(_ name: String) throws(FieldError) -> Bool? {
        guard let value = map.head(name) else { return nil }
        guard let flag = value.boolValue else { throw wrong(name, "true or false") }
        return flag
    }

    /// A flag; an absent one is false, so that only true is ever written.
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

    /// A list of maps; an absent one is empty, so that an empty one is never written.
    package func list<Element>(
        _ name: String, _ read: (Fields) throws(FieldError) -> Element
    ) throws(FieldError) -> [Element] {
        guard var items = try items(name) else { return [] }
        var result: [Element] = []
        result.reserveCapacity(items.count)
        while let item = items.next() { result.append(try read(Fields(item, root))) }
        return result
    }

    /// The items of a list, all of which are what is expected; nil where there is no list.
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
    static func id(_ id: some EventID) -> CBOR { .unsigned(id.number) }

    /// Only true is written; see `Fields.flag`.
    package static func flag(_ value: Bool) -> CBOR? {
        value ? .bool(true) : nil
    }

    /// Only a list with something in it is written; see `Fields.list`.
    package static func list<Element>(_ items: [Element], _ code: (Element) -> CBOR) -> CBOR? {
        items.isEmpty ? nil : .array(items.map(code))
    }
}

extension Outpoint {
    /// The transaction's id as bytes in the order in which it is displayed.
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
