import Foundation
import Testing
import TestSupport

/// The long form makes each wrong and runs tests against it; this keeps its list up to date.
struct MutantTests {
    @Test func `each wrong of the list of mutants still finds its place`() throws {
        let check = Process()
        let output = Pipe()
        check.executableURL = URL(filePath: "/usr/bin/env")
        check.arguments = ["python3", Repository.path("tools/mutants"), "--check"]
        check.standardOutput = output
        check.standardError = output
        try check.run()
        let said = String(
            decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        check.waitUntilExit()
        #expect(check.terminationStatus == 0, "\(said)")
    }
}
