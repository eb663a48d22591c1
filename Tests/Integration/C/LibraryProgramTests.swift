import Foundation
import TestSupport
import Testing

/// The library as programs in other languages use it: C, C++ and Python.
struct LibraryProgramTests {
    private let folder: TemporaryFolder
    private static let library = "\(ProgramRun.folder)/libDaybookC.so"
    private static let passphrase = "correct horse battery staple"
    private static let link =
        "dashwallet://pay=XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa&amount=0.25&sender=shop"

    init() throws { folder = try TemporaryFolder() }

    /// Compiles a program against the library that was built with the tests.
    private func compiled(_ name: String, from sources: String = "docs/examples") throws -> String {
        let program = "\(folder.path)/\(name)"
        let run = try ProgramRun([
            "gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-g",
            "-I", Repository.path("Sources/CDaybook"), Repository.path("\(sources)/\(name).c"),
            Self.library, "-Wl,-rpath,\(ProgramRun.folder)", "-o", program,
        ])
        #expect(run.status == 0, "\(run.output)")
        return program
    }

    /// Makes a store with a wallet that has coins, by the program `daybook`.
    private func storeWithCoins() throws -> String {
        let home = "\(folder.path)/store"
        try Data("\(Self.passphrase)\n".utf8).write(to: URL(filePath: "\(folder.path)/secret"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: "\(folder.path)/secret")
        for words in [
            ["init"],
            [
                "wallet", "add", "--chain", "dash", "--new", "--label", "my", "--json",
                "--passphrase-file", "\(folder.path)/secret",
            ],
            ["sandbox", "fund", "my", "10"], ["sandbox", "mine", "6"],
        ] {
            let run = try ProgramRun(
                ["\(ProgramRun.folder)/daybook"] + words + ["--home", home])
            try #require(run.status == 0, "\(run.output)")
        }
        try CheapSealing.apply(toStore: home, passphrase: Self.passphrase)
        return home
    }

    @Test func `the example in C approves a payment, and valgrind finds no error`() throws {
        let program = try compiled("approve")
        let home = try storeWithCoins()
        let valgrind =
            "valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite "
            + "--show-leak-kinds=definite --suppressions="
            + Repository.path("Tests/Integration/C/swift-runtime.supp")
        let run = try ProgramRun([
            "sh", "-c", "echo y | \(valgrind) \"$@\"", "sh", program, home, Self.passphrase,
            Self.link,
        ])
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains(#""status":"completed""#), "\(run.output)")
        #expect(run.output.contains(#"changed: {"subscription":1"#), "\(run.output)")
        #expect(!run.output.contains(Self.passphrase))
        let replay = try ProgramRun(["\(ProgramRun.folder)/daybook-replay", "replay", home])
        #expect(replay.output.contains(" 0 divergences"), "\(replay.output)")
    }

    @Test func `the example in C ends with the library's error where there is no store`() throws {
        let run = try ProgramRun([try compiled("approve"), folder.path, "secret", Self.link])
        #expect(run.status == 1)
        #expect(run.output.contains(#"{"error":{"code":"storeMissing""#), "\(run.output)")
    }

    @Test func `the example in C takes changes into an event loop`() throws {
        let home = try storeWithCoins()
        let program = try RunningProgram(
            [try compiled("watch"), home], hasInput: true, errors: .amongOutput)
        #expect(program.output.line() == "watching")
        let open = try ProgramRun([
            "\(ProgramRun.folder)/daybook", "open", Self.link, "--home", home,
        ])
        #expect(open.status == 0, "\(open.output)")
        let line = program.output.line() ?? ""
        #expect(line.hasPrefix("pending: ") && line.contains(#""amount":"0.25""#), "\(line)")
        program.input?.close()
        #expect(program.end().status == 0)
        #expect(try ProgramRun([try compiled("watch"), folder.path]).status == 1)
    }

    @Test(.enabled(if: ProcessMemory.isReadable, "only root may read a program's memory"))
    func `no passphrase is left in the memory of a program that has unlocked a wallet`() throws {
        let unlocking = try compiled("unlock", from: "Tests/Integration/C")
        let program = try RunningProgram(
            [unlocking, try storeWithCoins(), "my"], hasInput: true, errors: .amongOutput)
        try program.input?.write("\(Self.passphrase)\n".utf8)
        #expect(program.output.line() == "unlocked and locked")
        for half in [Self.passphrase.prefix(14), Self.passphrase.suffix(14)] {
            #expect(try ProcessMemory.count(of: Array(half.utf8), in: program.id) == 0, "\(half)")
        }
        // The control: what every process has in its memory is found.
        #expect(try ProcessMemory.count(of: Array("unlocked and".utf8), in: program.id) > 0)
        program.input?.close()
        #expect(program.end().status == 0)
    }

    @Test(arguments: ["c", "c++"])
    func `the header stands alone`(language: String) throws {
        let run = try ProgramRun([
            "gcc", "-x", language, "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only",
            Repository.path("Sources/CDaybook/daybook.h"),
        ])
        #expect(run.status == 0, "\(run.output)")
    }

    /// The environment of the Python tests, and the first Python that has their tools.
    private static func python(_ words: [String]) throws -> ProgramRun {
        var environment = ProcessInfo.processInfo.environment
        environment["PYTHONPATH"] = try PythonPackage.folder.get()
        environment["DAYBOOK_LIBRARY"] = library
        environment["DAYBOOK_PROGRAM"] = "\(ProgramRun.folder)/daybook"
        let found = ["python3", "/usr/bin/python3"].first { python in
            let tools = try? ProgramRun([python, "-c", "import pytest, mypy"])
            return tools?.status == 0
        }
        let python = try #require(found, "no Python has pytest and mypy: tools/setup test")
        return try ProgramRun([python, "-B"] + words, environment: environment)
    }

    @Test func `the Python package passes its tests`() throws {
        let run = try Self.python([
            "-m", "pytest", "-q", "-p", "no:cacheprovider", Repository.path("Tests/Python"),
        ])
        #expect(run.status == 0, "\(run.output)")
        #expect(!run.output.contains("skipped"), "\(run.output)")
    }

    /// `tools/setup test` installs auditwheel where it can.
    @Test(.enabled(if: FileManager.default.fileExists(
        atPath: Repository.path(".build/wheel-tools/bin/python"))))
    func `the wheel needs nothing of the system but its C and C++ libraries`() throws {
        let run = try ProgramRun([
            Repository.path("tools/dev"), "build-wheel", "--short", ProgramRun.folder, folder.path,
        ])
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("-manylinux_"), "\(run.output)")
    }

    @Test func `the Python package and the example are typed`() throws {
        let run = try Self.python([
            "-m", "mypy", "--strict", "--no-incremental", "--cache-dir", "/dev/null",
            try PythonPackage.folder.get() + "/daybook",
            Repository.path("docs/examples/bot.py"),
        ])
        #expect(run.status == 0, "\(run.output)")
    }}
