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
        let run = try RunningProgram(
            ["\(ProgramRun.folder)/daybook-replay", "replay", path, "--json"] + options,
            environment: surroundings
        ).end()

        status = run.status
        answer = try JSON.parse(Bytes(run.output.utf8))
        error = run.error
    }
}
