import Foundation
import Testing
import TestSupport

/// README's example of the library, as a new user copies it into a program.
struct ReadmeTests {
    private let folder: TemporaryFolder
    private static let built = ProgramRun.folder

    init() throws { folder = try TemporaryFolder() }

    /// Compiles the example as it stands, with the modules that were built with the tests.
    private func program() throws -> String {
        let text = try Repository.text("README.md")
        let blocks = text.components(separatedBy: "```swift\n").dropFirst()
        let code = try #require(blocks.first?.components(separatedBy: "```").first)
        let (main, list) = ("\(folder.path)/main.swift", "\(folder.path)/objects")
        try Data(code.utf8).write(to: URL(filePath: main))
        // The objects of another program that uses the library, without its own.
        let objects = try String(
            contentsOfFile: "\(Self.built)/StoreDriver.product/Objects.LinkFileList",
            encoding: .utf8)
        let library = objects.split(separator: "\n").filter { !$0.contains("/StoreDriver.build/") }
        try Data(library.joined(separator: "\n").utf8).write(to: URL(filePath: list))
        let maps = ["CCurl", "CLMDB", "CLinux", "COpenSSL", "CPostgres", "CSecp256k1"].flatMap {
            ["-I", Repository.path("Sources/\($0)")]
        }
        let packages = ["lmdb", "libsecp256k1", "libcrypto", "libcurl", "libpq"]
        let flags = try ProgramRun(["pkg-config", "--cflags", "--libs"] + packages)
        try #require(flags.status == 0, "\(flags.output)")
        // Another build's modules would hide a header that this one can't find.
        let run = try ProgramRun(
            ["swiftc", "-swift-version", "6", "-warnings-as-errors", "-I", "\(Self.built)/Modules"]
                + ["-module-cache-path", "\(folder.path)/cache"]
                + maps + [main, "@\(list)", "-o", "\(folder.path)/app"]
                + flags.output.split(whereSeparator: \.isWhitespace).map(String.init))
        try #require(run.status == 0, "\(run.output)")
        return "\(folder.path)/app"
    }

    private func run(_ program: String, _ link: String, typing typed: String) throws -> ProgramRun {
        try ProgramRun([
            "sh", "-c", "printf '\(typed)' | \"$@\"", "sh", program,
            "\(folder.path)/\(UUID().uuidString)", link,
        ])
    }

    @Test func `the example prints the words, shows the prompt and answers`() throws {
        let program = try program()
        let secret = #"correct horse battery\n"#
        let done = try run(
            program, "dashwallet://request=address&sender=shop", typing: "\(secret)y\\n\(secret)")
        #expect(done.status == 0, "\(done.output)")
        let words = done.lines.first { $0.split(separator: " ").count == 12 }
        #expect(words?.allSatisfy { $0 == " " || $0.isLowercase } == true, "\(done.output)")
        #expect(done.output.contains("headline: Give an unused address of wallet"))
        #expect(done.output.contains("\nopen shop://callback=address&address=X"), "\(done.output)")
        let refused = try run(program, "dashwallet://nothing", typing: secret)
        #expect(refused.output.contains("\nrefused: "), "\(refused.output)")
    }
}
