import DaybookSystem
import Foundation

extension Foundation.Process {
    /// A program to be run, in this process's environment but without Swift's backtracer.
    ///
    /// The backtracer would keep the program's pipes open after a crash.
    package convenience init(toRun words: [String]) {
        self.init()
        executableURL = URL(filePath: words[0])
        arguments = Array(words.dropFirst())
        environment = ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    }
}

/// A program that a test ran to its end: its exit status, and what it printed.
package struct ProgramRun: Sendable {
    package let status: Int32
    package let output: String

    /// The folder of the programs that were built with the tests.
    package static let folder = Files.parent(
        of: (try? Files.resolved("/proc/self/exe")) ?? CommandLine.arguments[0])

    /// Runs a program and waits for its end; a name without a folder is looked up in `PATH`.
    ///
    /// The output has what went to standard error too, unless that is to be dropped.
    package init(
        _ words: [String], in folder: String? = nil, environment: [String: String]? = nil,
        dropsErrors: Bool = false
    ) throws {
        let process = Foundation.Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        if let environment { process.environment = environment }
        let output = Pipe()
        process.standardOutput = output
        if dropsErrors {
            process.standardError = FileHandle.nullDevice
        } else {
            process.standardError = output
        }
        try process.run()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        self.output = String(decoding: printed, as: UTF8.self)
        status = process.terminationStatus
    }
}
