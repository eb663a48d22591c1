import DaybookSystem
import Foundation

/// The Python package with the methods of the program that was built with the tests.
package enum PythonPackage {
    /// The folder that belongs in `PYTHONPATH`; it is removed when the tests end.
    package static let folder = Result { try written() }

    private static func written() throws -> String {
        let folder = try Files.createTemporaryDirectory()
        let run = try ProgramRun([
            Repository.path("tools/dev"), "python-package", "--program",
            "\(ProgramRun.folder)/daybook", folder,
        ])
        guard run.status == 0 else { throw NotWritten(output: run.output) }
        // A static value is never released.
        atexit {
            if case .success(let folder) = PythonPackage.folder { try? Files.removeTree(folder) }
        }
        return folder
    }

    private struct NotWritten: Error {
        let output: String
    }
}
