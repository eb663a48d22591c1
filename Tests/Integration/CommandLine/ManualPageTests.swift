@testable import DaybookCommands
import DaybookSystem
import Foundation
import TestSupport
import Testing

/// The manual pages, read by another program; `tools/setup test` installs it.
struct ManualPageTests {
    @Test(arguments: ["daybook", "daybook-replay"])
    func `a page has no faults, and has every command`(program: String) throws {
        let folder = try Files.createTemporaryDirectory()
        defer { try? Files.removeTree(folder) }
        let made = try Programs.run(["\(Programs.folder)/\(program)", "man", folder, "--json"])
        let file = try #require(try made.object["file"]?.stringValue)
        #expect(file == "\(folder)/\(program).1")
        let faults = try ProgramRun(["mandoc", "-T", "lint", "-W", "warning", file])
        // The page is the same on every day.
        let lines = faults.output.split(separator: "\n").filter { !$0.contains("missing date") }
        #expect(lines.isEmpty, "\(faults.output)")
        let page = try ProgramRun(["mandoc", "-T", "ascii", "-O", "width=200", file]).output
            .replacing(/.\u{8}/, with: "")
        let help = try Programs.run(["\(Programs.folder)/\(program)", "--help"]).lines
        let commands = help.drop { !$0.hasPrefix("  ") }.prefix { $0.hasPrefix("  ") }
        try #require(commands.count > 5)
        for command in commands {
            let name = command.dropFirst(2).split(separator: "  ")[0].split(separator: " ")
                .prefix { $0.first?.isLowercase == true && !$0.contains("|") }
            #expect(page.contains("\n   \(name.joined(separator: " "))\n"), "\(command)")
        }
        let plain = try Programs.run(["\(Programs.folder)/\(program)", "man"]).output
        #expect(try String(contentsOfFile: file, encoding: .utf8) == plain)
    }

    @Test func `no text can be a request of troff`() {
        #expect(ManualPage.escaped(".so /etc/passwd") == "\\&.so /etc/passwd")
        #expect(ManualPage.escaped("a\\fBb 'c' -d") == "a\\efBb \\(aqc\\(aq \\-d")
        #expect(ManualPage.escaped("'br") == "\\(aqbr")
    }
}
