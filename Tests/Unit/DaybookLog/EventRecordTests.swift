import DaybookEncoding
import Foundation
import Testing
import TestSupport

@testable import DaybookLog

struct EventRecordTests {
    static let full = EventRecord(
        logID: Bytes(0..<16), position: 300, stream: "request/297", revision: 2,
        type: "callback.emitted", version: 1, time: 1_767_225_600_000_001, session: 290,
        request: 297, cause: 299, actor: "engine",
        data: .record([
            "url": .text("wallet://ok?é"), "code": .int(-1),
            "z": .array([.unsigned(1), .unsigned(2), .bool(true)]), "aa": .null,
            "b": .bytes([0, 0xff]),
        ]))
    static let small = EventRecord(
        logID: Bytes(repeating: 0xff, count: 16), position: 0, stream: "session/0", revision: 0,
        type: "session.started", version: 1, time: 0, session: 0, request: nil, cause: nil,
        actor: "x", data: .record([:]))

    /// name → the event's bytes and its leaf hash.
    private func fixture(_ name: String) throws -> (bytes: Bytes, leaf: Bytes) {
        for line in try Fixture.text("log/events.txt").split(separator: "\n") {
            let words = line.split(separator: " ")
            if words[0] == name {
                return (try #require(Hex.decode(words[1])), try #require(Hex.decode(words[2])))
            }
        }
        throw CocoaError(.fileReadNoSuchFile)
    }

    @Test(arguments: [("full", full), ("small", small)])
    func `an event has the bytes and the leaf hash that the format lays down`(
        name: String, record: EventRecord
    ) throws {
        let fixture = try fixture(name)
        #expect(record.bytes == fixture.bytes)
        #expect(EventRecord.leafHash(fixture.bytes) == fixture.leaf)
        #expect(try EventRecord.decode(fixture.bytes) == record)
    }

    private func changed(_ key: UInt64, _ value: CBOR?) throws -> Bytes {
        var entries = try #require(try CBOR.decode(Self.full.bytes).mapValue)
        entries.removeAll { $0.key == .unsigned(key) }
        if let value { entries.append(.init(key: .unsigned(key), value: value)) }
        return CBOR.map(entries).encoded()
    }

    @Test(arguments: [
        (0, nil, "format"), (0, .text("10"), "format"),
        (1, nil, "log id"), (1, .bytes([1]), "log id"), (1, .text("x"), "log id"),
        (2, nil, "position"), (2, .negative(0), "position"), (2, .unsigned(1), "revision"),
        (3, nil, "stream"), (3, .text(""), "stream"),
        (3, .text(String(repeating: "s", count: 201)), "stream"),
        (4, nil, "revision"), (4, .unsigned(301), "revision"),
        (5, nil, "type"), (5, .bytes([65]), "type"),
        (6, nil, "version"), (7, nil, "time"), (7, .null, "time"),
        (8, nil, "session"), (8, .unsigned(301), "session"),
        (9, .null, "request"), (9, .unsigned(301), "request"),
        (10, .null, "cause"), (10, .unsigned(300), "cause"),
        (11, nil, "actor"), (11, .text(""), "actor"),
        (12, nil, "data"), (12, .array([]), "data"), (13, .unsigned(1), "envelope"),
    ] as [(UInt64, CBOR?, String)])
    func `a wrong field is refused by its name`(
        key: UInt64, value: CBOR?, field: String
    ) throws {
        let bytes = try changed(key, value)
        #expect(throws: EventRecordError.badField(field)) { try EventRecord.decode(bytes) }
    }

    @Test func `request and cause may be absent`() throws {
        #expect(try EventRecord.decode(changed(9, nil)).request == nil)
        #expect(try EventRecord.decode(changed(10, nil)).cause == nil)
    }

    @Test(arguments: [0, 1, 9, 11, 255] as [UInt64])
    func `another program's format is told apart from damage`(number: UInt64) throws {
        let bytes = try changed(0, .unsigned(number))
        #expect(throws: EventRecordError.unknownFormat(try unknown(.event, number))) {
            try EventRecord.decode(bytes)
        }
    }

    @Test func `a text key in the envelope is refused`() throws {
        var entries = try #require(try CBOR.decode(Self.full.bytes).mapValue)
        entries.append(.init(key: .text("x"), value: .null))
        #expect(throws: EventRecordError.badField("envelope")) {
            try EventRecord.decode(CBOR.map(entries).encoded())
        }
        #expect(throws: EventRecordError.badField("envelope")) { try EventRecord.decode([0x80]) }
    }

    @Test func `no prefix and no extension of an event is an event`() throws {
        let bytes = Self.full.bytes
        for count in 0..<bytes.count {
            #expect(throws: EventRecordError.self) {
                try EventRecord.decode(Array(bytes.prefix(count)))
            }
        }
        #expect(throws: EventRecordError.self) { try EventRecord.decode(bytes + [0xf6]) }
    }

    @Test func `bytes beyond the limit are refused before they are read`() {
        let count = LogLimits.eventBytes + 1
        #expect(throws: EventRecordError.tooLarge(bytes: count)) {
            try EventRecord.decode(Bytes(repeating: 0, count: count))
        }
    }

    /// The error that the bytes of an event must give whatever its fields say.
    private func expectedError(_ bytes: Bytes) -> EventRecordError? {
        do {
            let fields = try CBOR.decode(bytes).mapValue ?? []
            let areKnown = fields.allSatisfy { $0.key.uintValue ?? .max <= 12 }
            return areKnown ? nil : .badField("envelope")
        } catch {
            return .notCanonical(error)
        }
    }

    @Test func `a changed byte is refused or gives another event, never the same`() throws {
        let bytes = Self.full.bytes
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                do {
                    let record = try EventRecord.decode(changed)
                    #expect(record != Self.full)
                    #expect(record.bytes == changed)
                } catch {
                    // Its form comes first, then what it says.
                    #expect(error == expectedError(changed) ?? error)
                }
            }
        }
    }
}
