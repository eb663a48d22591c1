import Foundation
import Testing
import TestSupport

/// The short form of `tools/canaries`: secrets that are planted must be found nowhere afterwards.
struct PlantedSecretTests {
    @Test func `no secret stands in a file, an output, an argument, a core or unused memory`()
        throws
    {
        let script = Repository.path("Tests/Faults/Canaries/canaries.py")
        let answer = try Call.run([
            "/usr/bin/env", "python3", "-B", script, "--short", "--programs", Call.folder,
        ])
        #expect(answer.status == 0, "\(answer.output)\(answer.error)")
        #expect(answer.lastLine.contains(": 0 findings"), "\(answer.output)")
    }
}
