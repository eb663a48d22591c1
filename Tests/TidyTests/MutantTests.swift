import Foundation
import Testing

/// `tools/dev mutants` runs tests against each planted bug; this keeps its list up to date.
struct MutantTests {
    @Test func `each bug of the list of mutants still finds its place`() throws {
        let tools = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "tools")
        let check = Process()
        let output = Pipe()
        check.executableURL = URL(filePath: "/usr/bin/env")
        check.arguments = ["python3", tools.appending(path: "dev").path(), "mutants", "--check"]
        check.standardOutput = output
        check.standardError = output
        try check.run()
        let said = String(
            decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        check.waitUntilExit()
        #expect(check.terminationStatus == 0, "\(said)")
    }
}
