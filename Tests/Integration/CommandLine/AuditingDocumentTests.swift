import DaybookSystem
import Foundation
import Testing
import TestSupport

/// `docs/AUDITING.md`, held to what the programs do.
struct AuditingDocumentTests {
    /// A command of the document, and what it prints there.
    private struct Step {
        let command: String
        var output = ""
    }

    private static func steps() throws -> [Step] {
        let text = try Repository.text("docs/AUDITING.md")
        var steps: [Step] = []
        var blank = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("    $ ") {
                steps.append(Step(command: String(line.dropFirst(6))))
                blank = ""
            } else if line.hasPrefix("    ") {
                // A blank line within the output is one; those behind it are not.
                steps[steps.count - 1].output += blank + line.dropFirst(4) + "\n"
                blank = ""
            } else if line.isEmpty {
                blank += "\n"
            } else {
                blank = ""
            }
        }
        return steps
    }

    @Test func `an audit goes as its walk says`() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: Repository.path("docs/audit"), toPath: folder.path + "/audit")
        let steps = try Self.steps()
        try #require(steps.count > 15)
        for step in steps {
            let answer = try Programs.run(
                ["/bin/bash", "-c", "cd \"$0\" && \(step.command)", folder.path + "/audit"],
                environment: [
                    "PATH": Programs.folder + ":"
                        + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
                ])
            #expect(answer.output == step.output, "\(step.command)")
        }
    }
}
