import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookMigrations
import DaybookReplay
import DaybookSystem
import Foundation
import Testing
import TestSupport

/// A log in a folder of its own, which also has room for histories; removed after the test.
final class TemporaryLog {
    let folder: String
    let log: EventLog
    var histories: String { folder + "/cache/daybook" }

    /// The events of the golden log, up to a number of them.
    static let golden = (try? Fixture.hexLines("logs/v1/session.hex")) ?? []

    init(_ events: some Sequence<Bytes> = golden) throws {
        folder = try Files.createTemporaryDirectory()
        let events = Array(events)
        let id = try EventRecord.decode(Self.golden[0]).logID
        log = try Migrations.createLog(at: folder + "/log", id: id)
        try append(events)
    }

    deinit { try? Files.removeTree(folder) }

    func append(_ events: some Sequence<Bytes>) throws {
        let events = Array(events)
        try log.write { transaction in
            for event in events { try transaction.append(verbatim: event) }
        }
    }

    /// An event that follows the last one; its type is unknown to the program by default.
    func append(type: String = "test.unknown", data: CBOR = .record([:])) throws {
        try log.write { transaction in
            _ = try transaction.append(
                EventDraft(
                    stream: "tests", type: type, time: transaction.lastTime + 1, session: .at(0),
                    actor: "tests", data: data.encoded()))
        }
    }
}

extension LogReading {
    /// The state after the event at a position, folded from the first event on.
    func foldedState(through position: UInt64) throws -> State {
        var state = State()
        for record in try records(from: 0, limit: .max) where record.position <= position {
            if let event = try record.event() { state.evolve(event) }
        }
        return state
    }
}
