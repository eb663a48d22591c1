import Foundation
import TestSupport

/// Runs the programs that were built with these tests, without a terminal.
enum Call {
    /// The folder of the programs.
    static let folder = ProgramRun.folder

    static func run(
        _ words: [String], input: [UInt8] = [], environment changes: [String: String] = [:]
    ) throws -> Answer {
        let process = Foundation.Process(toRun: words)
        process.environment?["DAYBOOK_HOME"] = nil
        for (name, value) in changes {
            process.environment?[name] = value.isEmpty ? nil : value
        }
        let (standardInput, output, error) = (Pipe(), Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = error
        try process.run()
        // A program that does not read its input closes the pipe: that is no failure of the test.
        try? standardInput.fileHandleForWriting.write(contentsOf: Data(input))
        try? standardInput.fileHandleForWriting.close()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        let complained = error.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Answer(
            status: process.terminationStatus, output: String(decoding: printed, as: UTF8.self),
            error: String(decoding: complained, as: UTF8.self))
    }
}
