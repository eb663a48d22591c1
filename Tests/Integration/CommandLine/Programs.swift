import DaybookEncoding
import Testing
import TestSupport

/// Runs the programs that were built with these tests, without a terminal.
enum Programs {
    /// The folder of the programs.
    static let folder = ProgramRun.folder
    static let daybook = folder + "/daybook"

    static func run(
        _ words: [String], input: [UInt8] = [], environment changes: [String: String] = [:]
    ) throws -> ProgramRun {
        let variables = ["DAYBOOK_HOME": ""].merging(changes) { $1 }
        let program = try RunningProgram(
            words, environment: variables.mapValues { $0.isEmpty ? nil : $0 }, hasInput: true)
        // A program that does not read its input closes the pipe: that is no failure of the test.
        try? program.input?.write(input)
        program.input?.close()
        return program.end()
    }
}

extension ProgramRun {
    /// The JSON objects on standard output, one a line.
    var objects: [JSON] {
        get throws { try lines.map { try JSON.parse(Array($0.utf8)) } }
    }

    /// The only JSON object on standard output.
    var object: JSON {
        get throws {
            try #require(lines.count == 1, "\(output)\(error)")
            return try objects[0]
        }
    }

    /// The last line on standard error: what every failure has.
    var lastWords: String { error.split(separator: "\n").last.map(String.init) ?? "" }

    /// The code in the parentheses at the end of the last line on standard error.
    var code: String? {
        guard lastWords.hasSuffix(")"), let open = lastWords.lastIndex(of: "(") else { return nil }
        return String(lastWords[open...].dropFirst().dropLast())
    }

    /// Checks that it failed as every failure does: the status, and one line that says why.
    func expectFailure(
        _ status: Int32, _ code: String, of what: String,
        at place: SourceLocation = #_sourceLocation
    ) {
        #expect(self.status == status, "\(error)", sourceLocation: place)
        #expect(self.code == code, "\(error)", sourceLocation: place)
        #expect(
            lastWords.contains(": \(what): "), "\(error)", sourceLocation: place)
    }
}
