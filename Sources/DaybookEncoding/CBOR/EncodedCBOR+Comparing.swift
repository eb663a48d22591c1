/// Comparing a value in its bytes with one that is a tree.
extension EncodedCBOR {
    /// Whether these bytes are the one spelling of a value.
    package func isSpelling(of value: CBOR) -> Bool {
        Self.end(ofSpelling: value, in: buffer.span, at: start) != nil
    }

    /// Where the item ends that begins at an offset, if it spells a value; nil if it does not.
    private static func end(
        ofSpelling value: CBOR, in bytes: Span<UInt8>, at start: Int
    ) -> Int? {
        let head = CBORHead(bytes, at: start)
        switch value {
        case .unsigned(let number):
            return head.isOf(.unsigned) && head.argument == number ? head.end : nil
        case .negative(let number):
            return head.isOf(.negative) && head.argument == number ? head.end : nil
        case .bytes(let content):
            return head.isOf(.bytes) ? end(ofContent: content.span, in: bytes, head) : nil
        case .text(let text):
            return head.isOf(.text) ? end(ofContent: text.utf8.span, in: bytes, head) : nil
        case .array(let values):
            guard head.isOf(.array), head.argument == UInt64(values.count) else { return nil }
            var next = head.end
            for index in values.indices {
                guard let end = end(ofSpelling: values[index], in: bytes, at: next) else {
                    return nil
                }
                next = end
            }
            return next
        case .map(let entries):
            guard head.isMap, head.argument == UInt64(entries.count) else { return nil }
            // Fields of ours are found where they are; text of others may have many.
            let entries = entries.count > mostSearched ? CBOR.sorted(entries) : entries
            return end(ofEntries: entries, in: bytes, at: head.end)
        case .bool(let value): return head.initial == (value ? 0xf5 : 0xf4) ? head.end : nil
        case .null: return head.initial == 0xf6 ? head.end : nil
        }
    }

    /// Records have some dozen fields.
    private static let mostSearched = 32

    private static func end(
        ofContent content: Span<UInt8>, in bytes: Span<UInt8>, _ head: CBORHead
    ) -> Int? {
        guard head.argument == UInt64(content.count) else { return nil }
        let end = head.end + content.count
        return ByteOrder.areSame(bytes.extracting(head.end..<end), content) ? end : nil
    }

    /// The same of a map's entries, which are in the order of their keys here and each there once.
    private static func end(
        ofEntries entries: [CBOR.Entry], in bytes: Span<UInt8>, at start: Int
    ) -> Int? {
        var next = start
        var index = 0
        for _ in entries.indices {
            // Where the order is the same, the entry after the last one is the next.
            var tried = 0
            var value: Int?
            while tried < entries.count {
                value = end(ofSpelling: entries[index].key, in: bytes, at: next)
                if value != nil { break }
                index = index + 1 == entries.count ? 0 : index + 1
                tried += 1
            }
            guard let value,
                let end = end(ofSpelling: entries[index].value, in: bytes, at: value)
            else { return nil }
            next = end
            index = index + 1 == entries.count ? 0 : index + 1
        }
        return next
    }
}
