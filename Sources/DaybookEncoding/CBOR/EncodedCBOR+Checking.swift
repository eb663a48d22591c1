/// Checks that bytes are the canonical encoding of a value.
extension EncodedCBOR {
    /// The offset after the item at an offset; refuses other encodings than the canonical one.
    static func checkedEnd(
        _ bytes: Span<UInt8>, at start: Int, depth: Int = 0
    ) throws(CBORError) -> Int {
        let head = try CBORHead(checking: bytes, at: start)
        switch head.type {
        case .unsigned, .negative, nil: return head.end
        case .bytes: return try contentEnd(bytes, head, at: start)
        case .text:
            let end = try contentEnd(bytes, head, at: start)
            guard isUTF8(bytes.extracting(head.end..<end)) else {
                throw CBORError(offset: start, reason: .invalidUTF8)
            }
            return end
        case .array:
            try checkCount(bytes, head, itemsEach: 1, depth: depth, at: start)
            var next = head.end
            for _ in 0..<head.count {
                next = try checkedItemEnd(bytes, at: next, depth: depth + 1)
            }
            return next
        case .map:
            try checkCount(bytes, head, itemsEach: 2, depth: depth, at: start)
            var next = head.end
            var last: Range<Int>?
            for _ in 0..<head.count {
                let value = try checkedItemEnd(bytes, at: next, depth: depth + 1)
                if let last { try checkOrder(bytes, of: last, next..<value) }
                last = next..<value
                next = try checkedItemEnd(bytes, at: value, depth: depth + 1)
            }
            return next
        }
    }

    /// The offset after an item within another.
    @inline(__always)
    private static func checkedItemEnd(
        _ bytes: Span<UInt8>, at start: Int, depth: Int
    ) throws(CBORError) -> Int {
        if let end = plainEnd(bytes, at: start) { return end }
        return try checkedEnd(bytes, at: start, depth: depth)
    }

    /// The offset after a number, bytes or ASCII text, which are most items.
    ///
    /// Nil for other items, which the slower check handles.
    @inline(__always)
    private static func plainEnd(_ bytes: Span<UInt8>, at start: Int) -> Int? {
        // Nine bytes are there, so that a head has all of its own.
        guard bytes.count - start >= 9 else { return nil }
        let initial = bytes[start]
        if initial < 24 { return start + 1 }
        guard initial < 0x80, initial & 0x1f < 28 else { return nil }
        let head = CBORHead(bytes, at: start)
        guard head.isShortest else { return nil }
        if initial < 0x40 { return head.end }
        guard head.argument <= UInt64(bytes.count - head.end) else { return nil }
        let end = head.end + head.count
        if initial < 0x60 { return end }
        return ByteSearch.areASCII(bytes.extracting(head.end..<end)) ? end : nil
    }

    private static func contentEnd(
        _ bytes: Span<UInt8>, _ head: CBORHead, at start: Int
    ) throws(CBORError) -> Int {
        guard head.argument <= UInt64(bytes.count - head.end) else {
            throw CBORError(offset: start, reason: .truncated)
        }
        return head.end + head.count
    }

    private static func isUTF8(_ text: Span<UInt8>) -> Bool {
        // Most texts are ASCII, for which this is several times faster.
        ByteSearch.areASCII(text) || (try? UTF8Span(validating: text)) != nil
    }

    /// Checks a count of items, each of which has at least one byte.
    private static func checkCount(
        _ bytes: Span<UInt8>, _ head: CBORHead, itemsEach: Int, depth: Int, at start: Int
    ) throws(CBORError) {
        guard depth < CBOR.maximumDepth else { throw CBORError(offset: start, reason: .tooDeep) }
        guard head.argument <= UInt64((bytes.count - head.end) / itemsEach) else {
            throw CBORError(offset: start, reason: .truncated)
        }
    }

    /// Checks that a key comes after the previous one.
    private static func checkOrder(
        _ bytes: Span<UInt8>, of last: Range<Int>, _ key: Range<Int>
    ) throws(CBORError) {
        // Mostly the first bytes, which hold a short name's length, differ.
        if bytes[last.lowerBound] < bytes[key.lowerBound] { return }
        let common = ByteOrder.commonPrefix(bytes.extracting(last), bytes.extracting(key))
        if common < key.count,
            common == last.count || bytes[last.lowerBound + common] < bytes[key.lowerBound + common]
        { return }
        let isSame = common == key.count && common == last.count
        throw CBORError(offset: key.lowerBound, reason: isSame ? .duplicateKey : .keyOrder)
    }
}

/// Compares an encoded value with a decoded one.
extension EncodedCBOR {
    /// Whether this is the encoding of a value.
    package func isSpelling(of value: CBOR) -> Bool {
        Self.end(ofSpelling: value, in: buffer.span, at: start) != nil
    }

    /// The offset after the item at an offset, if it encodes a value; nil if it does not.
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
