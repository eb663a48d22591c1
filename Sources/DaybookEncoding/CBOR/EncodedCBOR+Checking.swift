/// Checks that bytes are the canonical encoding of a value.
extension EncodedCBOR {
    /// The offset after an item that lies in so many arrays and maps; nil if it is not canonical.
    package static func end(checking bytes: Bytes, at start: Int, depth: Int) -> Int? {
        plainEnd(bytes, at: start, depth: depth)
            ?? (try? checkedEnd(bytes.span, at: start, depth: depth))
    }

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
            guard Text.isUTF8(bytes.extracting(head.end..<end)) else {
                throw CBORError(offset: start, reason: .invalidUTF8)
            }
            return end
        case .array:
            try checkCount(bytes, head, itemsEach: 1, depth: depth, at: start)
            var next = head.end
            for _ in 0..<head.count {
                next = try checkedEnd(bytes, at: next, depth: depth + 1)
            }
            return next
        case .map:
            try checkCount(bytes, head, itemsEach: 2, depth: depth, at: start)
            var next = head.end
            var last: Range<Int>?
            for _ in 0..<head.count {
                let value = try checkedEnd(bytes, at: next, depth: depth + 1)
                if let last { try checkOrder(bytes, of: last, next..<value) }
                last = next..<value
                next = try checkedEnd(bytes, at: value, depth: depth + 1)
            }
            return next
        }
    }

    private static func contentEnd(
        _ bytes: Span<UInt8>, _ head: CBORHead, at start: Int
    ) throws(CBORError) -> Int {
        guard head.argument <= UInt64(bytes.count - head.end) else {
            throw CBORError(offset: start, reason: .truncated)
        }
        return head.end + head.count
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
