import DaybookSystem

/// A folder of its own for one test, removed with all it holds when the test is over.
final class TemporaryFolder {
    let path: String

    init() throws {
        let name = try Entropy.bytes(8).map { String($0, radix: 16) }.joined()
        path = "\(EnvironmentVariables.value("TMPDIR") ?? "/tmp")/daybook-system-\(name)"
        try Files.createDirectory(path, mode: 0o700)
    }

    deinit {
        Self.removeTree(path)
    }

    private static func removeTree(_ path: String) {
        for name in (try? Files.list(path)) ?? [] { removeTree("\(path)/\(name)") }
        try? Files.remove(path)
    }
}
