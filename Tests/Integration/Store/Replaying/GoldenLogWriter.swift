import DaybookCrypto
import DaybookEncoding
import DaybookLog
import Foundation
import Testing

@testable import DaybookReplay

/// Writes the golden and bad logs of a version before their tests run, for `tools/dev golden`.
///
/// A file that is there already stays as it is.
enum GoldenLogWriter {
    /// The version that the environment names; nil in every ordinary run of the tests.
    static let version = ProcessInfo.processInfo.environment["DAYBOOK_GOLDEN"]

    /// Ends when the files of `version` are written, at once where there is none.
    static let written = Task {
        guard let version else { return }
        let folder = BadLog.logs.appending(path: version)
        if !FileManager.default.fileExists(atPath: folder.path()) { try await writeSession(folder) }
        try writeBadLogs(version)
    }

    private static func writeSession(_ folder: URL) async throws {
        let records = try await RecordedSession.shared.value.records
        let (divergences, digest) = try replay(records)
        try #require(divergences == [])
        let place = try #require(records.lastIndex { $0.type == "transaction.prepared" })
        var tampered = records
        let change = try #require(
            Alteration.all(of: records[place].data).first { $0.path == "data.fee" })
        tampered[place] = records[place].altered(data: change.data)
        let found = try #require(try replay(tampered).divergences.first)
        let expected = JSON.object([
            .init(name: "events", value: .number(String(records.count))),
            .init(name: "digest", value: .string(Hex.encode(digest))),
            .init(
                name: "bytes",
                value: .string(Hex.encode(SHA256.hash(records.flatMap(\.bytes))))),
            .init(
                name: "tampered",
                value: .object([
                    .init(name: "position", value: .number(found.position.description)),
                    .init(name: "field", value: .string(found.field)),
                    .init(name: "recorded", value: .string(found.recorded)),
                    .init(name: "produced", value: .string(found.produced)),
                ])),
        ])
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func write(_ name: String, _ text: String) throws {
            try Data(text.utf8).write(to: folder.appending(path: name))
        }
        for (name, events) in [("session", records), ("tampered", tampered)] {
            let lines = events.map { Hex.encode($0.bytes) }.joined(separator: "\n")
            try write("\(name).hex", lines + "\n")
        }
        try write("expected.json", expected.text(pretty: true) + "\n")
    }

    private static func writeBadLogs(_ version: String) throws {
        let session = try GoldenLogTests.lines(version, "session")
        let records = try session.map { try EventRecord.decode($0) }
        for forgery in Forgery.all {
            let (forged, position) = try forgery.make(records)
            let name = forgery.name.replacing(" ", with: "-").replacing("'", with: "")
            let events = forged.map(\.bytes)
            let found = try BadLog.Errors(of: events).verify
            try #require(found == .init(position: position, code: forgery.rule.rawValue), "\(name)")
            try BadLog.write(name, events, over: session, version)
        }
    }
}
