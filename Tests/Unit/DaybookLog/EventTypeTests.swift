import DaybookEncoding
import DaybookUpcasters
import Foundation
import Testing
import TestSupport

@testable import DaybookDomain
@testable import DaybookLog

/// Events of older versions of their types, which a later program reads.
struct EventTypeTests {
    /// Version 2 of `label.set`, as a later program may have it: with a field that must be there.
    private struct LaterLabelSet: EventData {
        static let type = LabelSet.type
        static let version: UInt64 = 2
        let labels: LabelSet
        let source: String

        init(_ labels: LabelSet, source: String) { (self.labels, self.source) = (labels, source) }

        init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
            labels = try LabelSet(value?.labels, by: &coder)
            source = try coder.field("source", value?.source)
        }

        /// The part that this program knows, with the new field where a test can see it.
        var payload: Payload {
            let shown = labels.labels.map { label in
                LabelSet.Label(label.subject, "\(label.text ?? "") \(source)")
            }
            return .labelSet(LabelSet(shown))
        }
    }

    /// The types of that program.
    private static let later = EventTypes(
        .init([PayloadReader { (data: LaterLabelSet) in data.payload }]),
        Upcasters([LabelSet.type: [{ Self.adding("source", .text("unknown"), to: $0) }]]))

    private static func adding(_ name: String, _ value: CBOR, to data: CBOR) -> CBOR {
        .map((data.mapValue ?? []) + [.init(key: .text(name), value: value)])
    }

    private static let labels = LabelSet([.init(.sender("shop"), "rent")])

    private static func record(_ data: some EventData, at position: UInt64 = 0) -> EventRecord {
        EventRecord(
            logID: Bytes(repeating: 3, count: 16), position: position, stream: "labels",
            revision: position, type: type(of: data).type, version: type(of: data).version,
            time: 9, session: 0, request: nil, cause: nil, actor: "test", data: data.encoded())
    }

    private static func texts(_ event: Event?) -> [String?] {
        guard case .labelSet(let data) = event?.payload else { return [] }
        return data.labels.map(\.text)
    }

    @Test func `data of an older version gets what the newest one needs`() throws {
        let old = Self.record(Self.labels)
        let bytes = old.bytes
        #expect(try Self.texts(old.event(of: Self.later)) == ["rent unknown"])
        let new = Self.record(LaterLabelSet(Self.labels, source: "letter"), at: 1)
        #expect(try Self.texts(new.event(of: Self.later)) == ["rent letter"])
        // The bytes that are stored, hashed and exported stay as they are.
        #expect(old.bytes == bytes && old.version == 1)
    }

    @Test func `a replay compares an older version as the newest one has it`() throws {
        let old = Self.record(Self.labels)
        let draft = EventDraft(
            stream: "labels", type: LabelSet.type, version: 2, time: 9, session: .own,
            actor: "test", data: LaterLabelSet(Self.labels, source: "unknown").encoded())
        #expect(!old.isSpelling(of: draft, revision: 0))
        #expect(old.newest(of: Self.later).isSpelling(of: draft, revision: 0))
        var other = draft
        other.data = LaterLabelSet(Self.labels, source: "letter").encoded()
        #expect(!old.newest(of: Self.later).isSpelling(of: other, revision: 0))
        let new = Self.record(LaterLabelSet(Self.labels, source: "letter"))
        #expect(new.newest(of: Self.later) == new && old.newest() == old)
    }

    @Test func `upcasters are chained from version to version`() throws {
        let upcasters = Upcasters([
            "a": [
                { Self.adding("two", .unsigned(2), to: $0) },
                { Self.adding("three", $0["two"] ?? .null, to: $0) },
            ]
        ])
        let one = CBOR.record(["one": .unsigned(1)])
        let two = CBOR.record(["one": .unsigned(1), "two": .unsigned(2)])
        let three = Self.adding("three", .unsigned(2), to: two)
        #expect(upcasters.newest(one, of: "a", from: 1) == three)
        #expect(upcasters.newest(two, of: "a", from: 2) == three)
        #expect(upcasters.newest(three, of: "a", from: 3) == three)
        for version in [0, 4, .max] as [UInt64] {
            #expect(upcasters.newest(one, of: "a", from: version) == nil)
        }
        #expect(upcasters.newest(of: "a") == 3 && upcasters.newest(of: "b") == 1)
    }

    @Test(arguments: [0, 2, 3, .max] as [UInt64])
    func `a version that no program before wrote is unknown`(version: UInt64) throws {
        let record = EventRecord(
            logID: Bytes(repeating: 3, count: 16), position: 0, stream: "labels", revision: 0,
            type: LabelSet.type, version: version, time: 9, session: 0, request: nil, cause: nil,
            actor: "test", data: Self.labels.encoded())
        #expect(try record.event() == nil && record.readableEvent == nil)
        #expect(try EventRecord.decodeEvent(record.bytes).event == nil)
        #expect(record.newest() == record)
    }

    @Test func `each type's upcasters lead to the version that is read`() {
        for type in EventTypes.current.names {
            let newest = Upcasters.all.newest(of: type)
            #expect(EventTypes.current.reads(type, version: newest), "\(type) \(newest)")
            #expect(!EventTypes.current.reads(type, version: newest + 1), "\(type) \(newest)")
        }
    }

    // MARK: - What is kept

    /// Every type and version in a fixture: logs, exports and the releases' files.
    @Test func `every event of a fixture has a reader, or upcasters to one`() throws {
        var found: Set<String> = []
        for (file, records) in try Self.fixtures() {
            for record in records {
                let name = "\(record.type) version \(record.version)"
                guard found.insert(name).inserted else { continue }
                #expect(
                    EventTypes.current.reads(record.type, version: record.version),
                    "\(file): no reader or upcaster of \(name)")
                #expect(throws: Never.self, "\(file): \(name)") { try record.event() }
            }
        }
        #expect(found.count > 30, "\(found.count)")
    }

    private static let folders = [
        "Tests/Fixtures/logs", "Tests/Fixtures/exports", "Tests/Releases", "docs/audit",
    ]

    private static func fixtures() throws -> [(file: String, records: [EventRecord])] {
        try folders.flatMap { folder in
            let path = Repository.path(folder)
            return try (FileManager.default.enumerator(atPath: path)?.allObjects ?? [])
                .compactMap { $0 as? String }.sorted()
                .map { (file: "\(folder)/\($0)", records: try records(in: "\(path)/\($0)")) }
        }
    }

    /// The events of a log in hexadecimal digits, or of an export; none of other files.
    private static func records(in path: String) throws -> [EventRecord] {
        if path.hasSuffix(".daybook.hex") { return [] }
        if path.hasSuffix(".hex") {
            return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
                try EventRecord.decode(try #require(Hex.decode($0)))
            }
        }
        guard path.hasSuffix(".daybook") || path.hasSuffix(".jsonl") else { return [] }
        var content = Bytes(try Data(contentsOf: URL(fileURLWithPath: path)))[...]
        let reader = try ExportReader { limit in
            defer { content = content.dropFirst(limit) }
            return Bytes(content.prefix(limit))
        }
        var records: [EventRecord] = []
        while let item = try reader.next() {
            if case .event(let record, _) = item { records.append(record) }
        }
        return records
    }
}
