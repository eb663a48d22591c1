import DaybookEncoding
import DaybookLog
import Foundation
import Testing

@testable import Daybook

/// A folder with a store that has been used, and room for exports and other stores.
final class TransferScene: Sendable {
    let home: SharedHome
    /// The store, which this process can have open only once.
    let store: Store

    /// A store with a Dash and an ICON wallet, a payment, a rejection and a pending request.
    init() async throws {
        home = try SharedHome(copying: try await Self.used.value)
        store = try home.open()
        // The clock is the real one: a request of the shared store could have expired by now.
        _ = try await store.receive("dashwallet://pay=\(Flow.dash)&amount=2&sender=other")
    }

    private static let used = Task { try await made() }

    private static func made() async throws -> SharedHome {
        let home = try await SharedHome.funded([.dash, .icon])
        let store = try home.open()
        let pays = try await store.receive(Flow.all[0].text)
        _ = try await store.approve(pays.id)
        let asked = try await store.receive("dashwallet://request=address&sender=myapp")
        _ = try await store.reject(asked.id)
        let bind = try await store.receive(connect(#"{"id":1,"method":"bind"}"#))
        _ = try await store.approve(bind.id)
        _ = try await store.mine(2)
        return home
    }

    func path(_ name: String) -> String { "\(home.folder)/\(name)" }

    func bytes(_ name: String) throws -> Bytes {
        Bytes(try Data(contentsOf: URL(fileURLWithPath: path(name))))
    }

    @discardableResult
    func write(_ name: String, _ bytes: Bytes) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
        return path(name)
    }

    /// Writes events as an export whose hashes are all right.
    func write(_ name: String, records: [EventRecord]) throws -> String {
        var tree = TreeFold()
        for record in records { tree.add(leaf: record.bytes) }
        let output = ExportedBytes()
        let writer = ExportWriter(.daybook) { output.bytes += $0 }
        let head = TreeHead(size: tree.size, root: tree.root())
        let header = ExportHeader(logID: records[0].logID, head: head, selection: .all)
        try writer.write(.header(header))
        for record in records { try writer.write(.event(record, bytes: record.bytes)) }
        _ = try writer.finish()
        return try write(name, output.bytes)
    }

    /// The used store's export.
    @discardableResult
    func export(
        _ name: String, _ selection: LogSelection = LogSelection()
    ) async throws -> ExportSummary {
        try await store.export(selection, to: path(name))
    }

    /// Bytes as a source of an export.
    static func reader(_ bytes: Bytes) throws -> ExportReader {
        var rest = bytes[...]
        return try ExportReader { limit in
            defer { rest = rest.dropFirst(limit) }
            return Bytes(rest.prefix(limit))
        }
    }
}

/// Another store, made for one test, with a log of its own until one is imported.
final class OtherStore: Sendable {
    let home: SharedHome

    init() throws {
        home = try SharedHome()
        try Store.create(at: home.path)
    }

    func open() throws -> Store { try home.open() }
}

/// Checks that an error with a code is thrown, and returns it.
@discardableResult
func expectCode<Value>(
    _ code: String, _ location: SourceLocation = #_sourceLocation,
    _ body: () async throws -> Value
) async -> DaybookError? {
    do {
        _ = try await body()
        Issue.record("nothing was thrown", sourceLocation: location)
    } catch let error as DaybookError {
        #expect(error.code.rawValue == code, "\(error)", sourceLocation: location)
        return error
    } catch {
        Issue.record(error, sourceLocation: location)
    }
    return nil
}

extension Store {
    /// The root of the whole log's tree, in hex.
    func root() throws -> String {
        try journal.log.read { Hex.encode(try $0.head().root.bytes) }
    }

    /// Makes a log without events another's, whatever the events say.
    func append(_ records: [EventRecord]) throws {
        try journal.log.write { transaction in
            try transaction.adopt(records[0].logID)
            for record in records { try transaction.append(verbatim: record) }
        }
    }

    /// Appends events of a type that nobody knows to the last session, all in one transaction.
    func appendUnknown(_ count: Int, note: String = "") throws {
        try journal.log.write { transaction in
            let session = try transaction.record(at: transaction.count - 1)?.session ?? 0
            for number in 0..<count {
                _ = try transaction.append(
                    EventDraft(
                        stream: "weather/\(number % 3)", type: "weather.changed",
                        time: transaction.lastTime, session: .at(session), actor: "tests",
                        data: .record([
                            "rain": .bool(number % 2 == 0),
                            "note": note.isEmpty ? nil : .text(note),
                        ])))
            }
        }
    }
}
