/// The quick check: most encodings are plain, which one loop over their bytes finds.
extension EncodedCBOR {
    /// An array or a map whose items are being checked.
    private struct Container {
        var left = 0
        var isMap = false
        /// The last key: where it begins and ends.
        var key = 0
        var keyEnd = 0
    }

    /// The offset after a canonical item that lies in so many arrays and maps.
    ///
    /// Nil where only `checkedEnd` can tell: it knows all keys and all errors.
    static func plainEnd(_ bytes: Bytes, at start: Int, depth: Int = 0) -> Int? {
        var reader = CBORReader(bytes, at: start)
        var level = depth
        var container = Container(left: 1)
        var outer = InlineArray<16, Container>(repeating: Container())
        while true {
            while container.left == 0 {
                if level == depth { return reader.next }
                level &-= 1
                container = outer[level]
            }
            container.left &-= 1
            let item = reader.next
            guard item < bytes.count else { return nil }
            let initial = bytes[item]
            let isKey = container.isMap && container.left & 1 == 1
            if initial < 24 || initial & 0xfc == 0xf4 && initial != 0xf7 {
                reader.next &+= 1
            } else {
                guard initial < 0xc0,
                    let argument = try? reader.argument(initial: initial & 0xe0)
                else { return nil }
                let rest = bytes.count &- reader.next
                if initial >= 0x40 {
                    guard argument <= UInt64(rest) else { return nil }
                    let count = Int(truncatingIfNeeded: argument)
                    if initial < 0x80 {
                        if initial >= 0x60, !isUTF8(bytes.span, from: reader.next, count) {
                            return nil
                        }
                        reader.next &+= count
                    } else {
                        let isMap = initial >= 0xa0
                        let left = isMap ? count &* 2 : count
                        guard !isKey, level < CBOR.maximumDepth, left <= rest else { return nil }
                        outer[level] = container
                        level &+= 1
                        container = Container(left: left, isMap: isMap)
                        continue
                    }
                }
            }
            if isKey {
                guard isAscending(bytes.span, container, item..<reader.next) else { return nil }
                (container.key, container.keyEnd) = (item, reader.next)
            }
        }
    }

    /// Whether a key comes after the last one of its map, if there is one.
    @inline(__always)
    private static func isAscending(
        _ bytes: Span<UInt8>, _ map: Container, _ key: Range<Int>
    ) -> Bool {
        // The first byte, which holds a short name's length, mostly tells them apart.
        if map.keyEnd == 0 || bytes[map.key] < bytes[key.lowerBound] { return true }
        var index = 0
        while index < key.count, map.key &+ index < map.keyEnd {
            let (last, new) = (bytes[map.key &+ index], bytes[key.lowerBound &+ index])
            if last != new { return last < new }
            index &+= 1
        }
        return false
    }

    /// Whether a part of the bytes is UTF-8; for short names in ASCII, one word tells.
    @inline(__always)
    private static func isUTF8(_ bytes: Span<UInt8>, from start: Int, _ count: Int) -> Bool {
        if count < 8, bytes.count &- start >= 8 {
            // Eight bytes are there, of which the first count; any bits are a number.
            let word = unsafe bytes.bytes.unsafeLoadUnaligned(
                fromUncheckedByteOffset: start, as: UInt64.self)
            let all = UInt64(littleEndian: word) & (1 << UInt64(8 &* count) &- 1)
            if all & 0x8080_8080_8080_8080 == 0 { return true }
        }
        return Text.isUTF8(bytes.extracting(start..<(start &+ count)))
    }
}
