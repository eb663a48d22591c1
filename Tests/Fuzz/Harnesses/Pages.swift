import DaybookEncoding
import DaybookLMDB
@testable import DaybookLog
import DaybookMigrations
import DaybookSystem
import Glibc

extension Harness {
    /// A store's file in which bytes were changed, of this layout or of the one before it.
    ///
    /// The first byte says which; then changes follow: a page, the place in it in two bytes, how
    /// many bytes, and the bytes. A file that passes the check of the pages must be safe to read,
    /// to migrate and to write.
    static let pages = Harness("pages", longest: 256) { bytes in
        guard let first = bytes.first else { return }
        let store = try damagedStore.get()
        try store.write(first & 1 == 0 ? store.current : store.older, changed: bytes.dropFirst())
        do {
            guard try EventLog.pageFault(at: store.log) == nil else { return }
            try store.useLog()
        } catch is LogError {
        } catch let error as LMDBError {
            throw BrokenLaw(description: "an error of LMDB's comes through: \(error)")
        }
    }

    private static let damagedStore = Result { try DamagedStore() }
}

/// A folder with a log whose file is written anew each time.
private final class DamagedStore: Sendable {
    let log: String
    let current: Bytes
    let older: Bytes

    init() throws {
        let folder = try Files.createTemporaryDirectory()
        log = folder + "/log"
        let id = Bytes(repeating: 0xab, count: 16)
        do {
            let log = try Migrations.createLog(at: log, id: id)
            for number in 0..<3 {
                try log.write { transaction in
                    _ = try transaction.append(Self.draft(number, note: 100 * number))
                }
            }
            // One that lies on pages of its own.
            try log.write { _ = try $0.append(Self.draft(3, note: 9000)) }
        }
        current = try Files.read(log + "/data.mdb", limit: 1 << 24)
        try Environment(log).write { try LogMeta.setLayout(10, $0) }
        older = try Files.read(log + "/data.mdb", limit: 1 << 24)
    }

    private static func draft(_ number: Int, note: Int) -> EventDraft {
        EventDraft(
            stream: "session/0", type: "sample", time: 1000 + UInt64(number),
            session: number == 0 ? .own : .at(0), request: number == 1 ? .own : nil, actor: "test",
            data: .record(["note": .text(String(repeating: "x", count: note))]))
    }

    /// Writes the file with changes in it, into the same place: nobody else looks.
    func write(_ base: Bytes, changed changes: ArraySlice<UInt8>) throws {
        var file = base
        var rest = changes
        while rest.count >= 5 {
            let head = Bytes(rest.prefix(4))
            let page = Int(head[0]) % (file.count / 4096)
            let place = page * 4096 + (Int(head[1]) << 8 | Int(head[2])) % 4096
            let bytes = rest.dropFirst(4).prefix(Int(head[3]) % 9)
            for (offset, byte) in bytes.enumerated() where place + offset < file.count {
                file[place + offset] = byte
            }
            rest = rest.dropFirst(4 + bytes.count)
        }
        guard let stream = fopen(log + "/data.mdb", "w") else {
            throw BrokenLaw(description: "the store can be written")
        }
        defer { fclose(stream) }
        guard fwrite(file, 1, file.count, stream) == file.count else {
            throw BrokenLaw(description: "the store has room")
        }
    }

    /// Does with the log what programs do.
    func useLog() throws {
        do {
            let reading = try EventLog(readingAt: log)
            var check = try LogCheck(of: reading, rows: { MemoryRows() }) { _, _ in }
            try check.run(each: { _, _, _ in }, state: nil)
            try reading.read { snapshot in
                _ = try snapshot.records(from: 0, limit: 10)
                _ = snapshot.streamRows.scan(prefix: [], after: nil, limit: 10)
                _ = try snapshot.positions(ofStream: "session/0", after: nil, limit: 10)
                _ = try snapshot.inclusionProof(of: 0)
            }
        } catch is LogError {}
        let writing = try Migrations.openLog(at: log)
        try writing.write { _ = try $0.append(Self.draft(4, note: 10)) }
    }
}
