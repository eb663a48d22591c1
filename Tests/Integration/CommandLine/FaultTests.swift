import Foundation
import Testing
import TestSupport

/// The short form of `tools/dev faults`: some seconds of it.
struct FaultTests {
    @Test func `a fault at any system call is a named error, and nothing is lost or left over`()
        throws
    {
        let script = Repository.path("Tests/Faults/faults.py")
        let answer = try Programs.run([
            "/usr/bin/env", "python3", "-B", script, "0.1", "--calls-only", "--seed", "1",
            "--programs", Programs.folder,
        ])
        #expect(answer.status == 0, "\(answer.output)\(answer.error)")
        #expect(answer.lastLine.contains(" 0 findings"), "\(answer.output)")
    }

    @Test func `with too little memory for its threads a command ends, and does not wait for more`()
        throws
    {
        let scene = try Scene()
        for mebibytes in stride(from: 64, through: 1_024, by: 8) {
            let answer = try Programs.run([
                "/usr/bin/timeout", "60", "/bin/bash", "-c",
                #"ulimit -v "$1" && shift && exec "$@""#, "bash", "\(mebibytes << 10)",
                Programs.daybook, "balance", "--home", scene.home,
            ])
            #expect(answer.status != 124, "it waits with \(mebibytes) MiB")
            if answer.status == 0 || answer.status == 124 { return }
        }
        Issue.record("no memory is enough")
    }
}

extension ProgramRun {
    /// The last line on standard output.
    var lastLine: String { lines.last ?? "" }
}

/// The short form of `tools/dev canaries`: planted secrets must be found nowhere afterwards.
struct PlantedSecretTests {
    @Test func `no secret stands in a file, an output, an argument, a core or unused memory`()
        throws
    {
        let script = Repository.path("Tests/Faults/Canaries/canaries.py")
        let answer = try Programs.run([
            "/usr/bin/env", "python3", "-B", script, "--short", "--programs", Programs.folder,
        ])
        #expect(answer.status == 0, "\(answer.output)\(answer.error)")
        #expect(answer.lastLine.contains(": 0 findings"), "\(answer.output)")
    }
}
