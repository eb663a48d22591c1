import DaybookSystem

/// A folder of its own for one test, removed with all it holds when the test is over.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = try Files.createTemporaryDirectory()
    }

    deinit {
        try? Files.removeTree(path)
    }

    var log: String { "\(path)/log" }
}
