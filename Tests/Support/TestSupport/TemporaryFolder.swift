import DaybookSystem

/// A folder for one test, which is removed with everything in it when the test is over.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws(SystemError) {
        path = try Files.createTemporaryDirectory()
    }

    deinit {
        try? Files.removeTree(path)
    }
}
