import DaybookEncoding

/// A buffer that reads ahead in a source, so that the next bytes can be taken in one piece.
struct ByteInput {
    private let source: ByteSource
    private var buffer = Bytes()
    private var start = 0
    private var hasEnded = false
    /// The offset of the next byte.
    private(set) var offset: UInt64 = 0

    init(_ source: @escaping ByteSource) {
        self.source = source
    }

    /// Reads until `count` bytes are buffered or the source ends; returns how many are.
    mutating func require(_ count: Int) throws -> Int {
        if available < count, !hasEnded {
            buffer.removeFirst(start)
            start = 0
        }
        while available < count, !hasEnded {
            let chunk = try source(max(ExportLimits.chunkBytes, count - available))
            if chunk.isEmpty { hasEnded = true }
            buffer += chunk
        }
        return min(available, count)
    }

    /// The next bytes, without taking them; `require` must have found them.
    func peek(_ count: Int) -> Bytes { Bytes(buffer[start..<(start + count)]) }

    /// The byte `index` bytes ahead, without taking it; `require` must have found it.
    func peek(at index: Int) -> UInt8 { buffer[start + index] }

    /// Takes the next bytes; `require` must have found them.
    mutating func take(_ count: Int) -> Bytes {
        let bytes = peek(count)
        start += count
        offset += UInt64(count)
        return bytes
    }

    /// The number of bytes before the next line break; nil if `limit` bytes have none.
    mutating func lengthOfLine(limit: Int) throws -> Int? {
        var searched = 0
        while true {
            let end = min(available, limit + 1)
            if searched < end,
                let found = buffer[(start + searched)..<(start + end)].firstIndex(of: 0x0a)
            {
                return found - start
            }
            searched = end
            if searched > limit || hasEnded && searched == available { return nil }
            _ = try require(min(available + ExportLimits.chunkBytes, limit + 1))
        }
    }

    private var available: Int { buffer.count - start }
}
