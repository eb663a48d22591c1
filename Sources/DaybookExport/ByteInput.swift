import DaybookEncoding

/// Reads ahead in a source, so that what is wanted lies in one piece.
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

    /// Reads on until `count` bytes lie ready, or all there are; returns how many do.
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

    /// The next bytes, which `require` has found to be there; they stay.
    func peek(_ count: Int) -> Bytes { Bytes(buffer[start..<(start + count)]) }

    /// The next byte but some, which `require` has found to be there; it stays.
    func peek(at index: Int) -> UInt8 { buffer[start + index] }

    /// Takes the next bytes, which `require` has found to be there.
    mutating func take(_ count: Int) -> Bytes {
        let bytes = peek(count)
        start += count
        offset += UInt64(count)
        return bytes
    }

    /// How many bytes come before the next line break, `limit` at most; nil if there is none.
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
