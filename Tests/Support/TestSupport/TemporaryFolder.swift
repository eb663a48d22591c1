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

/// A small disk in memory, mounted on a folder; it is unmounted when nothing refers to it.
package final class SmallDisk {
    package let path: String

    /// Whether this user may mount a disk.
    package static let canMount: Bool = {
        guard let folder = try? TemporaryFolder() else { return false }
        return (try? SmallDisk(at: "\(folder.path)/probe", kilobytes: 4)) != nil
    }()

    private struct Refused: Error {}

    package init(at path: String, kilobytes: Int) throws {
        self.path = path
        if try !Files.exists(path) { try Files.createDirectory(path, mode: 0o700) }
        try Self.mount(["-t", "tmpfs", "-o", "size=\(kilobytes)k,mode=700", "tmpfs", path])
    }

    deinit { _ = try? ProgramRun(["/bin/umount", "-l", path]) }

    package func remount(_ option: String) throws {
        try Self.mount(["-o", "remount,\(option)", path])
    }

    private static func mount(_ arguments: [String]) throws {
        if try ProgramRun(["/bin/mount"] + arguments).status != 0 { throw Refused() }
    }
}
