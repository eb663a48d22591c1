import DaybookEncoding

/// The fields of a header, a run or a trailer; an error names the field that is wrong.
struct ItemFields {
    private let record: CBOR
    private let size: Int

    /// The fields of a map, of which `others` belong to the format and not to the item.
    init(_ record: CBOR, besides others: Int = 0) throws(ExportFault) {
        guard let entries = record.mapValue else { throw .malformed("map") }
        self.record = record
        size = entries.count - others
    }

    /// The same fields, of which `others` belong to the format.
    func besides(_ others: Int) throws(ExportFault) -> ItemFields {
        try ItemFields(record, besides: others)
    }

    func optionalNumber(_ name: String) throws(ExportFault) -> UInt64? {
        guard let value = record[name] else { return nil }
        guard let number = value.uintValue else { throw .malformed(name) }
        return number
    }

    func number(_ name: String) throws(ExportFault) -> UInt64 {
        guard let number = try optionalNumber(name) else { throw .malformed(name) }
        return number
    }

    func bytes(_ name: String) throws(ExportFault) -> Bytes {
        guard let bytes = record[name]?.bytesValue else { throw .malformed(name) }
        return bytes
    }

    func text(_ name: String) throws(ExportFault) -> String {
        guard let text = record[name]?.textValue else { throw .malformed(name) }
        return text
    }

    func value(_ name: String) throws(ExportFault) -> CBOR {
        guard let value = record[name] else { throw .malformed(name) }
        return value
    }

    /// A number or null; the field must not be absent.
    func numberOrNull(_ name: String) throws(ExportFault) -> UInt64? {
        try value(name).isNull ? nil : try number(name)
    }

    func hash(_ name: String) throws(ExportFault) -> TreeHash {
        guard let hash = TreeHash(try bytes(name)) else { throw .malformed(name) }
        return hash
    }

    func hashes(_ name: String) throws(ExportFault) -> [TreeHash] {
        guard let items = record[name]?.arrayValue else { throw .malformed(name) }
        var hashes: [TreeHash] = []
        for item in items {
            guard let hash = item.bytesValue.flatMap({ TreeHash($0) }) else {
                throw .malformed(name)
            }
            hashes.append(hash)
        }
        return hashes
    }

    func fields(_ name: String) throws(ExportFault) -> ItemFields {
        guard let value = record[name], case .map = value else { throw .malformed(name) }
        return try ItemFields(value)
    }

    /// Refuses unknown fields: no name occurs twice, so it is enough to count them.
    func finish(_ found: Int) throws(ExportFault) {
        if size != found { throw .malformed("names") }
    }
}
