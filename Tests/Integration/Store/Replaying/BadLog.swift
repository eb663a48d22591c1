import DaybookEncoding
import DaybookLog
import DaybookReplay
import Foundation
import Testing
import TestSupport

@testable import Daybook

/// A golden log with a lie in it, kept for ever with the first error that is found in it.
///
/// `Tests/Fixtures/logs/<version>/bad/<name>.json` has the events that are other than those of
/// `session.hex`, by their place there, and what is found: by `verify` the rule that is broken, by
/// `replay` the field that does not follow, or nothing, each with its position.
struct BadLog: CustomTestStringConvertible, Sendable {
    let name: String
    let events: [Bytes]
    let expected: Errors

    var testDescription: String { name }

    /// The first error that each way of looking finds; nil for none.
    struct Errors: Equatable, Sendable {
        let verify: Found?
        let replay: Found?

        /// The first finding and its place; the position is nil where reading ended.
        struct Found: Equatable, Sendable {
            let position: UInt64?
            let code: String
        }
    }

    // MARK: - Files

    static let logs = Fixture.url("logs")

    /// All bad logs of a version, by name.
    static func all(_ version: String) throws -> [BadLog] {
        let folder = logs.appending(path: "\(version)/bad")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
        let session = try GoldenLogTests.lines(version, "session")
        return try names.map { name in
            let file = try Data(contentsOf: folder.appending(path: name))
            let json = try JSON.parse(Bytes(file))
            var events = session
            for member in json["events"]?.objectValue ?? [] {
                let place = try #require(Int(member.name))
                events[place] = try #require(member.value.stringValue.flatMap { Hex.decode($0) })
            }
            return BadLog(
                name: String(name.dropLast(".json".count)), events: events,
                expected: Errors(
                    verify: found(json["verify"], "rule"), replay: found(json["replay"], "field")))
        }
    }

    private static func found(_ json: JSON?, _ code: String) -> Errors.Found? {
        guard let code = json?[code]?.stringValue else { return nil }
        return Errors.Found(
            position: json?["position"]?.intValue.map { UInt64($0) }, code: code)
    }

    /// Writes a bad log that is not there yet; one that is there is never touched.
    static func write(_ name: String, _ forged: [Bytes], over session: [Bytes], _ version: String)
        throws
    {
        let folder = logs.appending(path: "\(version)/bad")
        let file = folder.appending(path: "\(name).json")
        if FileManager.default.fileExists(atPath: file.path()) { return }
        let changed = zip(session, forged).enumerated().filter { $0.element.0 != $0.element.1 }
        let errors = try Errors(of: forged)
        func json(_ found: Errors.Found?, _ code: String) -> JSON {
            guard let found else { return .null }
            return .record([
                "position": found.position.map { .int($0) } ?? .null, code: .string(found.code),
            ])
        }
        let text = JSON.record([
            "events": .object(
                changed.map { place, events in
                    .init(name: String(place), value: .string(Hex.encode(events.1)))
                }),
            "verify": json(errors.verify, "rule"), "replay": json(errors.replay, "field"),
        ]).text(pretty: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data((text + "\n").utf8).write(to: file)
    }
}

extension BadLog.Errors {
    /// The first finding of a reading of the events.
    init(of events: [Bytes]) throws {
        var verifier = try LogVerifier(logID: try EventRecord.decode(events[0]).logID)
        for event in events { verifier.feed(event) }
        verify = verifier.finish().violations.first.map {
            Found(position: $0.position.number, code: $0.rule.rawValue)
        }
        var replayer = RecordedSession.replayer()
        do {
            for event in events { replayer.feed(try EventRecord.decode(event)) }
            replayer.finish()
            replay = replayer.divergences.first.map {
                Found(position: $0.position.number, code: $0.field)
            }
        } catch {
            replay = Found(position: nil, code: "unreadable")
        }
    }
}
