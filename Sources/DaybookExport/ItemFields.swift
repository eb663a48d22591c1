import DaybookEncoding
import DaybookTree

/// Takes the map of a header, a run or a trailer apart, naming the field that is wrong.
struct ItemFields {
    private let record: CBOR

    init(_ record: CBOR) throws(ExportFault) {
        guard case .map = record else { throw .malformed("map") }
        self.record = record
    }

    /// The other fields.
    func without(_ names: [String]) throws(ExportFault) -> ItemFields {
        let entries = record.mapValue ?? []
        return try ItemFields(
            .map(entries.filter { entry in !names.contains { entry.key == .text($0) } }))
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

    /// A number that is there or is null, never absent.
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

    /// Refuses whatever has another name than these.
    func finish(_ names: [String]) throws(ExportFault) {
        for entry in record.mapValue ?? [] {
            guard let key = entry.key.textValue, names.contains(where: { Text.equal($0, key) })
            else { throw .malformed("names") }
        }
    }
}
