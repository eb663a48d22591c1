/// A call to the operating system that failed: what, where and why.
package struct SystemError: Error, Hashable, Sendable {
    /// Why it failed.
    package let code: Errno
    /// What was tried, as a verb: `open`, `rename`, `sync`.
    package let operation: String
    /// The file or folder, or what stands for it (`standard input`, `terminal`).
    package let path: String

    /// An error for a call that has just failed with `code`.
    package init(code: Errno, operation: String, path: String) {
        self.code = code
        self.operation = operation
        self.path = path
    }
}

extension SystemError: CustomStringConvertible {
    /// One line in lower case: what was tried, on which path, why it failed.
    package var description: String {
        "cannot \(operation) \(path): \(code)"
    }
}
