import DaybookEncoding

/// A value with one leaf changed by a bit, and the name by which a report must call that leaf.
struct Alteration {
    let path: String
    let data: CBOR

    /// Every leaf of a value, changed one at a time.
    static func all(of value: CBOR, path: String = "data") -> [Alteration] {
        switch value {
        case .map(let entries):
            entries.indices.flatMap { index -> [Alteration] in
                let name = entries[index].key.textValue ?? ""
                return all(of: entries[index].value, path: "\(path).\(name)").map { change in
                    var changed = entries
                    changed[index].value = change.data
                    return Alteration(path: change.path, data: .map(changed))
                }
            }
        case .array(let items):
            items.indices.flatMap { index in
                all(of: items[index], path: "\(path)[\(index)]").map { change in
                    var changed = items
                    changed[index] = change.data
                    return Alteration(path: change.path, data: .array(changed))
                }
            }
        case .unsigned(let number): [Alteration(path: path, data: .unsigned(number ^ 1))]
        case .negative(let number): [Alteration(path: path, data: .negative(number ^ 1))]
        case .bytes(let bytes): [Alteration(path: path, data: .bytes(flipped(bytes)))]
        case .text(let text): [Alteration(path: path, data: .text(flipped(text)))]
        case .bool(let flag): [Alteration(path: path, data: .bool(!flag))]
        case .null: [Alteration(path: path, data: .bool(true))]
        }
    }

    private static func flipped(_ bytes: Bytes) -> Bytes {
        guard let last = bytes.last else { return [1] }
        return bytes.dropLast() + [last ^ 1]
    }

    /// The last character that stays text when its lowest bit changes, changed.
    private static func flipped(_ text: String) -> String {
        var bytes = Bytes(text.utf8)
        guard let place = bytes.lastIndex(where: { (0x21..<0x7e).contains($0) }) else {
            return text + "!"
        }
        bytes[place] ^= 1
        return String(decoding: bytes, as: UTF8.self)
    }
}
