import DaybookCommands
import DaybookSystem
import Foundation
import Testing
import TestSupport

/// The folders in Tests/Releases, or of candidates that are to be tried.
private enum Releases {
    static let folder =
        ProcessInfo.processInfo.environment["DAYBOOK_RELEASES"]
        ?? Repository.path("Tests/Releases")
    static let all = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [])
        .filter { FileManager.default.fileExists(atPath: "\(folder)/\($0)/digests.txt") }.sorted()
    /// Those whose interfaces this version keeps.
    static let ofThisMajor = all.filter { major($0) == major(Program.version) }
    /// Whether there must be one.
    static let areRequired = major(Program.version) != "0"

    private static func major(_ version: String) -> Substring { version.prefix { $0 != "." } }

    /// Runs a script of tools/support; what it said, which is nothing if all is well.
    static func run(_ script: String, _ words: String...) throws -> String {
        let run = try ProgramRun(
            ["python3", "-B", Repository.path("tools/support/\(script).py")] + words)
        #expect((run.status == 0) == run.output.isEmpty, "\(run.output)")
        return run.output
    }
}

/// This version reads, continues and answers the files and calls of each release.
struct ReleaseTests {
    @Test(.enabled(if: Releases.areRequired, "no version has been released yet"))
    func `the files of a release are in Tests/Releases`() {
        #expect(!Releases.ofThisMajor.isEmpty, "tools/dev release makes them")
    }

    @Test(
        arguments: Releases.all,
        ["reads", "pays", "opens-today", "imports", "signs", "audits", "reports", "serves"])
    func `this version does with a release's files what the release did`(
        release: String, check: String
    ) throws {
        #expect(
            try Releases.run(
                "release_checks", "\(Releases.folder)/\(release)", ProgramRun.folder, check) == "")
    }

    @Test(arguments: Releases.ofThisMajor)
    func `what a release let others call is there`(release: String) throws {
        let lists = "\(Releases.folder)/\(release)/interfaces"
        #expect(try Releases.run("interfaces", "compare", lists, ProgramRun.folder) == "")
    }

    @Test func `what an interface lacks or demands is named`() throws {
        let folder = try TemporaryFolder()
        #expect(try Releases.run("interfaces", "record", folder.path, ProgramRun.folder) == "")
        #expect(try Releases.run("interfaces", "compare", folder.path, ProgramRun.folder) == "")
        let changes = [
            "swift": ("Daybook.Store.engine: var engine: Int { get }\n", ""),
            "c": ("daybook_version: int daybook_version(void)\n", "daybook_version: "),
            "methods": ("Info member color: always text\n", "request.open parameter url: "),
            "codes": ("storeBlue: a code\n", ""),
            "commands": ("daybook show option --loud: no value\n", ""),
            "python": ("daybook.Store.wave: returns None\n", ""),
        ]
        for (name, (added, removed)) in changes {
            let path = "\(folder.path)/\(name).txt"
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            let kept = lines.filter { removed.isEmpty || !$0.hasPrefix(removed) }
            try (kept.joined(separator: "\n") + "\n" + added).write(
                toFile: path, atomically: true, encoding: .utf8)
        }
        let found = try Releases.run("interfaces", "compare", folder.path, ProgramRun.folder)
        #expect(
            Set(found.split(separator: "\n").map(String.init)) == [
                "swift: Daybook.Store.engine: was var engine: Int { get }, is removed",
                "c: daybook_version: was int daybook_version(void), "
                    + "is const char *daybook_version(void)",
                "methods: Info member color: was always text, is removed",
                "methods: request.open parameter url: is new, and must be given",
                "codes: storeBlue: was a code, is removed",
                "commands: daybook show option --loud: was no value, is removed",
                "python: daybook.Store.wave: was returns None, is removed",
            ])
    }

    @Test func `a file of a fixture that was altered, lost or added is named`() throws {
        let folder = try TemporaryFolder()
        let (source, fixture) = ("\(folder.path)/source", "\(folder.path)/fixture")
        for (name, bytes) in [("note", Array("a note\n".utf8)), ("data", [0, 1, 2, 0xff])] {
            try FileManager.default.createDirectory(
                atPath: source, withIntermediateDirectories: true)
            try Data(bytes).write(to: URL(filePath: "\(source)/\(name)"))
        }
        #expect(try Releases.run("release_fixture", "pack", source, fixture) == "")
        func unpacked() throws -> String {
            try Releases.run("release_fixture", "unpack", fixture, "\(folder.path)/\(UUID())")
        }
        #expect(try unpacked() == "")
        for name in ["note", "data.b64"] {
            let file = "\(fixture)/files/\(name)"
            let whole = try Data(contentsOf: URL(filePath: file))
            var altered = whole
            altered[altered.count / 2] ^= 1
            try altered.write(to: URL(filePath: file))
            #expect(try unpacked().contains("files/\(name): its bytes are not those"))
            try FileManager.default.removeItem(atPath: file)
            let lost = "files/\(name.prefix { $0 != "." }): the file is missing"
            #expect(try unpacked().contains(lost))
            try whole.write(to: URL(filePath: file))
        }
        try Data("new".utf8).write(to: URL(filePath: "\(fixture)/files/new"))
        #expect(try unpacked().contains("files/new: its bytes are not those"))
    }
}

/// The dump of a release's database.
struct DatabaseReleaseTests {
    @Test(arguments: Releases.all)
    func `a release's log in PostgreSQL is taken over and paid from`(release: String) throws {
        #expect(
            try Releases.run(
                "release_checks", "\(Releases.folder)/\(release)", ProgramRun.folder, "database")
                == "")
    }
}
