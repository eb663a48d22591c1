import DaybookCommands
import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookPostgres
import DaybookReplay
import DaybookSystem

/// The recorded logs in a folder, each replayed as a test case.
struct RecordedLogs {
    /// A log, the time that it took, and what was found.
    private struct Case {
        /// The path in the folder.
        let name: String
        let microseconds: UInt64
        let result: Result<Replay, CommandFailure>
    }

    private var cases: [Case] = []

    /// Replays every log in a folder; a folder without any fails, so that no test runs on nothing.
    init(replaying folder: String) throws {
        guard try Files.information(folder)?.kind == .directory else {
            throw CommandFailure(
                "notAFolder", .usage,
                "--junit takes a folder of logs, and \(CommandFailure.quoted(folder)) is none")
        }
        let found = try Self.isLog(folder)
            ? [("", folder)] : try Self.logs(in: folder, under: "")
        if found.isEmpty {
            throw CommandFailure(
                "noLogs", .refused,
                "there is no log in \(CommandFailure.quoted(folder)): put stores, archives, "
                    + "*.daybook or *.jsonl there")
        }
        for (name, path) in found {
            let start = Clock.monotonicMicroseconds()
            let result = Result { try Source(path).replayed() }
                .mapError { $0 as? CommandFailure ?? CommandFailure(explaining: $0) }
            cases.append(
                Case(
                    name: name.isEmpty ? Files.name(of: folder) : name,
                    microseconds: Clock.monotonicMicroseconds() - start, result: result))
        }
    }

    /// The paths of the logs in a folder, with their names in it, in the order of the names.
    ///
    /// Hidden folders and links to folders are left out.
    private static func logs(
        in folder: String, under prefix: String
    ) throws -> [(name: String, path: String)] {
        try Files.list(folder).flatMap { name -> [(name: String, path: String)] in
            let (path, name) = ("\(folder)/\(name)", prefix + name)
            switch try Files.information(path)?.kind {
            case .file? where isExport(path): return [(name, path)]
            case .directory? where try isLog(path): return [(name, path)]
            case .directory?:
                let isLeftOut = try Files.name(of: path).utf8.first == UInt8(ascii: ".")
                    || Files.linkTarget(path) != nil
                return isLeftOut ? [] : try logs(in: path, under: name + "/")
            default: return []
            }
        }
    }

    /// Whether a file has the name of an export.
    private static func isExport(_ path: String) -> Bool {
        [".daybook", ".jsonl"].contains { path.utf8.suffix($0.utf8.count).elementsEqual($0.utf8) }
    }

    /// Whether a folder is a store, a log alone or an archive.
    private static func isLog(_ folder: String) throws -> Bool {
        for file in ["log/data.mdb", "data.mdb"] where try Files.exists("\(folder)/\(file)") {
            return true
        }
        if try Files.exists(LogLocation.file(in: folder)) { return true }
        do {
            return try ExportFile(folder) != nil
        } catch is ArchiveError {
            return true
        }
    }

    /// Whether every log follows from its inputs.
    var arePassed: Bool { counts.failures == 0 && counts.errors == 0 }

    private var counts: (failures: Int, errors: Int) {
        cases.reduce(into: (0, 0)) { counts, log in
            switch log.result {
            case .success(let replay) where !replay.divergences.isEmpty: counts.0 += 1
            case .success(let replay): counts.1 += replay.unjudged.isEmpty ? 0 : 1
            case .failure: counts.1 += 1
            }
        }
    }

    var json: JSON {
        .record([
            "logs": .int(UInt64(cases.count)), "failures": .int(UInt64(counts.failures)),
            "errors": .int(UInt64(counts.errors)),
        ])
    }

    var lines: [TerminalText] {
        let sum: TerminalText = "replay: \(cases.count) logs, \(counts.failures) diverge, "
            + "\(counts.errors) can't be replayed"
        return [sum]
            + cases.compactMap { log in
                switch log.result {
                case .success(let replay):
                    replay.divergences.first.map { "\(log.name): \($0.text)" }
                        ?? replay.unjudged.all.first.map {
                            "\(log.name): \($0.sentence()) (engineUnknown)"
                        }
                case .failure(let failure): "\(log.name): \(failure.message) (\(failure.code))"
                }
            }
    }
}

// MARK: - JUnit's XML

extension RecordedLogs {
    /// The beginning of the files that `xml` makes.
    static let beginning = #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n<testsuites "

    /// The cases in the form of JUnit that continuous integration reads.
    var xml: String {
        let time = seconds(cases.map(\.microseconds).reduce(0, +))
        let totals = #"tests="\#(cases.count)" failures="\#(counts.failures)" "#
            + #"errors="\#(counts.errors)" time="\#(time)""#
        return Self.beginning + totals + ">\n" + #"  <testsuite name="daybook-replay" "# + totals
            + ">\n" + cases.map(element).joined() + "  </testsuite>\n</testsuites>\n"
    }

    private func element(_ log: Case) -> String {
        let head = #"    <testcase classname="daybook-replay" name="\#(Self.escaped(log.name))" "#
            + #"time="\#(seconds(log.microseconds))""#
        switch log.result {
        case .success(let replay):
            guard let first = replay.divergences.first else {
                guard let unjudged = replay.unjudged.all.first else { return head + "/>\n" }
                return head + ">\n"
                    + Self.child(
                        "error", type: "engineUnknown", message: unjudged.sentence(), "")
                    + "    </testcase>\n"
            }
            let more = replay.divergences.count - 1
            return head + ">\n"
                + Self.child(
                    "failure", type: "divergence",
                    message: "event \(first.position), \(first.field)",
                    first.text.text + (more == 0 ? "" : "\n\(more) more divergences"))
                + "    </testcase>\n"
        case .failure(let failure):
            return head + ">\n"
                + Self.child("error", type: failure.code, message: failure.message, "")
                + "    </testcase>\n"
        }
    }

    private static func child(
        _ name: String, type: String, message: String, _ text: String
    ) -> String {
        #"      <\#(name) type="\#(escaped(type))" message="\#(escaped(message))">"#
            + "\(escaped(text))</\(name)>\n"
    }

    private func seconds(_ microseconds: UInt64) -> String {
        let (whole, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        let digits = String(1000 + rest / 1000).dropFirst()
        return "\(whole).\(digits)"
    }

    /// A text for an attribute or between tags.
    ///
    /// XML has no way to write most control characters: they are spelled out, as on a terminal.
    private static func escaped(_ text: String) -> String {
        var output = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": output += "&amp;"
            case "<": output += "&lt;"
            case ">": output += "&gt;"
            case "\"": output += "&quot;"
            case "\n": output += "\n"
            default: output += Text.onOneLine(String(scalar))
            }
        }
        return output
    }
}

/// A file that this program makes, and may replace.
enum OwnFile {
    /// Throws if something else than such a file lies at a path, so that a mistyped path destroys
    /// nothing.
    static func checkReplacing(_ path: String, beginning: String, _ what: String) throws {
        guard try Files.exists(path) else { return }
        let beginning = Array(beginning.utf8)
        guard try Files.information(path)?.kind == .file,
            try Files.readPrefix(path, count: beginning.count) == beginning
        else {
            throw CommandFailure(
                "fileExists", .refused, "what lies at \(CommandFailure.quoted(path)) is no \(what)")
        }
    }
}
