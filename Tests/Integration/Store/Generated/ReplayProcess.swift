import DaybookEncoding
import Foundation
import TestSupport

/// The auditor's program, run as another process in surroundings of its own.
struct ReplayProcess {
    let status: Int32
    /// The one JSON object on its standard output.
    let answer: JSON
    let error: String

    /// Runs `daybook-replay replay` on a store; a variable that is nil is not set.
    init(replaying path: String, options: [String] = [], in surroundings: [String: String?] = [:])
        throws
    {
        let process = Foundation.Process()
        process.executableURL = URL(fileURLWithPath: "\(ProgramRun.folder)/daybook-replay")
        process.arguments = ["replay", path, "--json"] + options
        process.environment = ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
            .merging(surroundings.compactMapValues { $0 }) { $1 }
            .filter { surroundings[$0.key] != .some(nil) }
        let (output, error) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = error
        try process.run()
        let answer = output.fileHandleForReading.readDataToEndOfFile()
        self.error = String(
            decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
        self.answer = try JSON.parse(Bytes(answer))
    }
}
