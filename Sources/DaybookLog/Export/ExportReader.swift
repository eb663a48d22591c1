import DaybookEncoding

/// Reads and checks an export of either format; it streams, holding one item at a time.
///
/// For example, an import verifies the whole export, and then reads it again:
///
///     let trailer = try ExportReader.verify(file.source())
///     let reader = try ExportReader(file.source())
///     while let item = try reader.next() { take(item) }
///
/// Every error in the bytes is an `ExportError`; errors of the source are passed on. Signatures of
/// checkpoints are not verified: that needs the log's key.
package final class ExportReader {
    /// The format, which the first bytes show.
    package let format: ExportFormat
    private let decoder: any ExportDecoder
    private var checker: ExportChecker
    private var failure: ExportError?

    /// A reader of a source.
    ///
    /// One that `isProven`, because it was read before, is not hashed again: the caller hashes the
    /// events, and compares with the heads that were found then.
    package init(_ source: @escaping ByteSource, isProven: Bool = false) throws {
        checker = ExportChecker(isProven: isProven)
        var input = ByteInput(source)
        let magic = FrameFile.magic.count
        let count = try input.require(magic)
        let start = input.peek(count)
        if start.first == UInt8(ascii: "{") {
            format = .jsonl
            decoder = LineDecoder(input)
            return
        }
        format = .daybook
        let place = ExportPlace(unit: .frame, number: 0, offset: 0)
        guard ByteOrder.begins(FrameFile.name, with: Bytes(start.prefix(magic - 1)))
            || ByteOrder.begins(start, with: FrameFile.name)
        else { throw ExportError(fault: .notAnExport, place: place, lastGood: nil) }
        if count < magic { throw ExportError(fault: .truncated, place: place, lastGood: nil) }
        do {
            decoder = try FrameDecoder(input, isProven: isProven)
        } catch {
            throw ExportError(fault: error, place: place, lastGood: nil)
        }
    }

    /// A reader of an archive's segments, which `open` opens by their paths.
    ///
    /// - Throws: `ArchiveError` for a segment that is damaged or has another name than events.
    package init(
        _ archive: Archive, isProven: Bool = false,
        opening open: @escaping (String) throws -> ByteSource
    ) throws {
        checker = ExportChecker(isProven: isProven)
        format = .daybook
        decoder = try ArchiveDecoder(archive, opening: open)
    }

    /// The place of the last item.
    package var place: ExportPlace { decoder.place }
    /// The last position that was read and is good; nil if there was none.
    package var lastGood: UInt64? { checker.lastGood }

    /// The size and the root of the tree over the positions that were read, if it is hashed.
    package func head() -> TreeHead { checker.closing().head }

    /// The tree's head before the last item, if that is the event of a checkpoint.
    package var checkpointed: TreeHead? { checker.checkpointed }

    /// Reads and checks a whole export; returns its header and trailer.
    package static func verify(
        _ source: @escaping ByteSource
    ) throws -> (header: ExportHeader, trailer: ExportTrailer) {
        try ExportReader(source).verifyRest()
    }

    /// Reads and checks what was not read yet; returns the export's header and trailer.
    package func verifyRest() throws -> (header: ExportHeader, trailer: ExportTrailer) {
        while try next() != nil {}
        guard let header = checker.header, let trailer = checker.trailer else {
            preconditionFailure("an export without a trailer is refused as cut off")
        }
        return (header, trailer)
    }

    /// The next item, checked; nil after the trailer, which nothing follows.
    package func next() throws -> ExportItem? {
        if let failure { throw failure }
        if checker.trailer != nil { return nil }
        do {
            let item = try decoder.next()
            try checker.take(item)
            if checker.trailer != nil, try !decoder.isAtEnd() { throw ExportFault.trailingBytes }
            return item
        } catch let fault as ExportFault {
            let error = ExportError(
                fault: fault, place: decoder.place, lastGood: checker.lastGood(before: fault))
            failure = error
            throw error
        }
    }
}

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
