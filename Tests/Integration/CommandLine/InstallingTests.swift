import DaybookEncoding
import DaybookSystem
import Foundation
import TestSupport
import Testing

/// `tools/install` writes the programs that were built with these tests, and removes them again.
struct InstallingTests {
    /// Calls the script without its build.
    private func install(_ prefix: String, _ words: String = "[]") throws -> ProgramRun {
        try ProgramRun([
            "python3", "-B", "-c",
            """
            import pathlib, sys
            sys.path.insert(0, sys.argv[1])
            import installing
            installing.build = lambda: pathlib.Path(sys.argv[2])
            installing.c_library = lambda prefix: {}
            installing.main([sys.argv[3]] + \(words))
            """, Repository.path("tools/support"), ProgramRun.folder, prefix,
        ])
    }

    private func files(_ folder: String) -> [String] {
        (FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []).sorted()
    }

    @Test func `remove takes back exactly what install wrote`() throws {
        let folder = try Files.createTemporaryDirectory()
        defer { try? Files.removeTree(folder) }
        try Files.createDirectories("\(folder)/bin", mode: 0o755)
        try Data("theirs".utf8).write(to: URL(filePath: "\(folder)/bin/other"))
        let before = files(folder)
        for _ in 1...2 {
            let installed = try install(folder)
            #expect(installed.status == 0, "\(installed.output)")
        }
        let program = try ProgramRun(["\(folder)/bin/daybook", "--version"])
        #expect(program.status == 0 && program.output.hasPrefix("daybook "))
        for path in [
            "bin/daybook-replay", "share/man/man1/daybook.1", "share/fish/vendor_completions.d",
            "share/bash-completion/completions/daybook", "share/zsh/site-functions/_daybook",
            "share/doc/daybook/LICENSE", "share/systemd/user/daybook.socket",
        ] {
            #expect(try Files.exists("\(folder)/\(path)"), "\(path)")
        }
        let unit = try String(
            contentsOfFile: "\(folder)/share/systemd/user/daybook.service", encoding: .utf8)
        #expect(unit.contains("ExecStart=\(folder)/bin/daybook serve\n"))
        let removed = try install(folder, #"["--remove"]"#)
        #expect(removed.status == 0, "\(removed.output)")
        #expect(files(folder) == before)
        #expect(try install(folder, #"["--remove"]"#).status == 1, "there is nothing more")
    }

    @Test func `a file of others is not replaced, and a changed one stays`() throws {
        let folder = try Files.createTemporaryDirectory()
        defer { try? Files.removeTree(folder) }
        let page = "\(folder)/share/man/man1/daybook.1"
        try Files.createDirectories(Files.parent(of: page), mode: 0o755)
        try Data("theirs".utf8).write(to: URL(filePath: page))
        let refused = try install(folder)
        #expect(refused.status == 1 && refused.output.contains("was not installed by this"))
        #expect(try !Files.exists("\(folder)/bin"))
        try Files.remove(page)
        #expect(try install(folder).status == 0)
        try Data("changed".utf8).write(to: URL(filePath: page))
        let removed = try install(folder, #"["--remove"]"#)
        #expect(removed.output.contains("\(page) was changed, and stays"), "\(removed.output)")
        #expect(files(folder).filter { $0.hasSuffix(".1") } == ["share/man/man1/daybook.1"])
        #expect(try !Files.exists("\(folder)/bin"))
    }
}
