import DaybookCrypto
import DaybookEncoding
import DaybookLog
import Testing

/// A log in memory: events, their tree, and checkpoints of it.
struct SampleLog {
    static let id = Bytes(repeating: 0xab, count: 16)

    let events: [Bytes]
    let tree: TreeReader<MemoryRows>
    var checkpoints: [(size: UInt64, note: Bytes)] = []

    /// A log of some events; each third belongs to the request that the first of three is.
    init(_ count: Int, checkpointsAt sizes: [UInt64] = [], payload: Int = 20) throws {
        try self.init(
            (0..<UInt64(count)).map {
                SampleLog.event($0, data: SampleLog.data($0, payload: payload))
            }, checkpointsAt: sizes)
    }

    init(_ events: [Bytes], checkpointsAt sizes: [UInt64] = []) throws {
        self.events = events
        var appender = try TreeAppender(MemoryRows(), size: 0)
        for event in events { appender.append(event) }
        appender.save()
        tree = TreeReader(appender.rows, size: appender.size)
        for size in sizes {
            checkpoints.append((size, try Self.note(try tree.head(at: size))))
        }
    }

    static func note(_ head: TreeHead, log: Bytes = id) throws -> Bytes {
        try noteKey(of: log).sign(head).bytes
    }

    static func noteKey(of log: Bytes = id, seed: UInt8 = 7) throws -> NoteSigningKey {
        struct NoKey: Error {}
        let bytes = SecretBytes(copying: Bytes(repeating: seed, count: 32))
        guard let key = Ed25519PrivateKey(bytes) else { throw NoKey() }
        return NoteSigningKey(name: .ofLog(log), privateKey: key)
    }

    static func event(
        _ position: UInt64, log: Bytes = id, data: CBOR = .record([:])
    ) -> Bytes {
        EventRecord(
            logID: log, position: position, stream: "s/\(position % 5)", revision: position / 5,
            type: position % 7 == 0 ? "request.received" : "time.passed", version: 1,
            time: 1_700_000_000_000_000 + position, session: 0,
            request: position % 3 == 0 ? position : position - position % 3,
            cause: position > 0 ? position - 1 : nil, actor: "tester", data: data.encoded()
        ).bytes
    }

    private static func data(_ position: UInt64, payload: Int) -> CBOR {
        .record([
            "note": .text("π \"\(position)\"\n"),
            "raw": .bytes(Bytes(repeating: UInt8(truncatingIfNeeded: position), count: payload)),
            "low": .negative(.max),
        ])
    }

    func header(_ selection: ExportSelection = .all) throws -> ExportHeader {
        ExportHeader(
            logID: Self.id, head: try tree.head(at: tree.size), selection: selection)
    }

    /// The bytes of an export of those events that the selection admits, or of some of them.
    func export(
        _ format: ExportFormat = .daybook, _ selection: ExportSelection = .all,
        only positions: Set<UInt64>? = nil
    ) throws -> Bytes {
        var output = Bytes()
        let writer = ExportWriter(format) { output += $0 }
        var rest = try events.filter { bytes in
            let record = try EventRecord.decode(bytes)
            return selection.admits(record) && positions?.contains(record.position) ?? true
        }[...]
        var notes = checkpoints.sorted { $0.size < $1.size }[...]
        let export = LogExport(
            try header(selection), cover: { try tree.cover($0) },
            checkpoints: { notes.popFirst() })
        _ = try export.write(to: writer) { rest.popFirst() }
        #expect(UInt64(output.count) == writer.bytes)
        return output
    }
}

/// Hands out bytes in pieces of a size, as a file or a pipe would.
func source(_ bytes: Bytes, piece: Int = .max) -> ByteSource {
    var offset = 0
    return { limit in
        let end = min(bytes.count, offset + min(limit, piece))
        defer { offset = end }
        return Bytes(bytes[offset..<end])
    }
}

/// The result of reading an export.
func outcome(_ bytes: Bytes) -> Result<ExportTrailer, ExportError> {
    do {
        return .success(try ExportReader.verify(source(bytes)).trailer)
    } catch let error as ExportError {
        return .failure(error)
    } catch {
        Issue.record(error)
        return .failure(
            ExportError(
                fault: .notAnExport, place: ExportPlace(unit: .frame, number: 0, offset: 0),
                lastGood: nil))
    }
}

/// The error with which reading refuses bytes; nil if it takes them.
func refusal(_ bytes: Bytes) -> ExportError? {
    if case .failure(let error) = outcome(bytes) { error } else { nil }
}

/// An export in another format.
func converted(_ bytes: Bytes, to format: ExportFormat) throws -> Bytes {
    var output = Bytes()
    try ExportWriter(format) { output += $0 }.copy(try ExportReader(source(bytes)))
    return output
}
