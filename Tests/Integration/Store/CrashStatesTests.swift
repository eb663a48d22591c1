import DaybookSystem
import Foundation
import Testing
import TestSupport

/// The states in which a power cut can leave the disk, a few of each workload.
///
/// `tools/dev crash-states` tries others, and as many as one likes.
@Suite(.serialized, .enabled(if: Enumerator.canTrace, "tracing is not allowed"))
struct CrashStatesTests {
    @Test func `a power cut loses nothing that was acknowledged`() throws {
        let result = try Enumerator.run("--states", "4", "--seed", "1")
        #expect(result.status == 0, "\(result.output)")
    }

    @Test(arguments: [("file-syncs", "append"), ("folder-syncs", "wallets")])
    func `a disk that does not sync is found to lose acknowledged events`(
        ignored: String, workload: String
    ) throws {
        let result = try Enumerator.run(
            "--states", "12", "--ignore", ignored, "--workload", workload)
        #expect(result.status == 1)
        #expect(result.output.contains("of them bad (\(workload))"), "\(result.output)")
    }
}

/// The program that records what Daybook writes and has every state opened.
private enum Enumerator {
    /// Whether the system lets processes be traced; some containers do not.
    ///
    /// Where the tracer is not installed, which is status 127, its tests fail.
    static let canTrace = [0, 127].contains(
        (try? ProgramRun(["strace", "-o", "/dev/null", "true"]))?.status)

    static func run(_ options: String...) throws -> ProgramRun {
        let program = Repository.path("Tests/Faults/CrashStates/crash_states.py")
        return try ProgramRun(["python3", "-B", program, ProgramRun.folder] + options)
    }
}
