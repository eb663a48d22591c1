import Testing
import TestSupport

/// The long form makes each wrong and runs tests against it; this keeps its list up to date.
struct MutantTests {
    @Test func `each wrong of the list of mutants still finds its place`() throws {
        let check = try ProgramRun(["python3", Repository.path("tools/mutants"), "--check"])
        #expect(check.status == 0, "\(check.output)")
    }
}
