/// A map where it lies in its bytes, walked once, so that what it holds is found without a walk.
package struct EncodedMap: Sendable {
    private let map: EncodedCBOR
    private var entries: [Entry] = []

    /// Where a key and its value begin.
    private struct Entry {
        let key: CBORHead
        let value: Int
    }

    /// The entries of a map; nil where the value is none.
    package init?(_ value: EncodedCBOR) {
        map = value
        let bytes = value.buffer.span
        let head = CBORHead(bytes, at: value.start)
        guard head.isOf(.map) else { return nil }
        entries.reserveCapacity(head.count)
        var next = head.end
        for left in (0..<head.count).reversed() {
            let start = EncodedCBOR.end(bytes, at: next)
            entries.append(Entry(key: CBORHead(bytes, at: next), value: start))
            // An envelope's last value is nearly all of it, and nothing follows that.
            if left > 0 { next = EncodedCBOR.end(bytes, at: start) }
        }
    }

    /// What the map holds under a text key.
    package subscript(key: String) -> EncodedCBOR? {
        let bytes = map.buffer.span
        let key = key.utf8.span
        for index in entries.indices {
            let name = entries[index].key
            guard name.argument == key.count, name.isOf(.text) else { continue }
            let text = bytes.extracting(name.end..<entries[index].value)
            if ByteOrder.commonPrefix(text, key) == key.count {
                return EncodedCBOR(map.buffer, at: entries[index].value)
            }
        }
        return nil
    }

    /// What the map holds under an integer key.
    package subscript(key: UInt64) -> EncodedCBOR? {
        for index in entries.indices
        where entries[index].key.argument == key && entries[index].key.isOf(.unsigned) {
            return EncodedCBOR(map.buffer, at: entries[index].value)
        }
        return nil
    }

    /// Whether every key is an integer from zero through another one.
    package func hasOnlyKeys(through last: UInt64) -> Bool {
        entries.allSatisfy { $0.key.isOf(.unsigned) && $0.key.argument <= last }
    }
}
