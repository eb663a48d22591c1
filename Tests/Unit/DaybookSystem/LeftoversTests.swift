import Glibc
import Testing
import TestSupport

@testable import DaybookSystem

struct LeftoversTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `the rest of a killed process's file goes when the file is written again`()
        throws
    {
        let path = "\(folder.path)/a"
        let left = path + ".0123456789abcdef.new"
        try Files.writeAtomically(left, [1], mode: 0o600)
        try Files.writeAtomically(path, [2], mode: 0o600)
        #expect(try Files.list(folder.path) == ["a"])
    }

    @Test func `a file that somebody is still writing is left alone`() throws {
        let path = "\(folder.path)/a"
        let first = try NewFile(path, mode: 0o600)
        try first.write([1])
        let second = try NewFile(path, mode: 0o600)
        try second.write([2])
        try second.complete(replacing: false)
        try first.complete(replacing: true)
        #expect(try Files.read(path, limit: 9) == [1])
        #expect(try Files.list(folder.path) == ["a"])
    }

    @Test(arguments: [
        "a.new", "a.0123456789abcde.new", "a.0123456789ABCDEF.new", "a.0123456789abcdef.new2",
        "b.0123456789abcdef.new", "a.0123456789abcdef",
    ])
    func `a file of another name is nobody's leftover`(name: String) throws {
        try Files.writeAtomically("\(folder.path)/\(name)", [1], mode: 0o600)
        try Files.writeAtomically("\(folder.path)/a", [2], mode: 0o600)
        #expect(try Files.list(folder.path) == ["a", name].sorted())
    }

    @Test func `a link under a temporary name is not followed`() throws {
        let other = "\(folder.path)/other"
        try Files.writeAtomically(other, [1], mode: 0o600)
        #expect(symlink(other, "\(folder.path)/a.0123456789abcdef.new") == 0)
        try Files.writeAtomically("\(folder.path)/a", [2], mode: 0o600)
        #expect(try Files.read(other, limit: 9) == [1])
    }

    @Test func `a temporary folder goes with all it holds, and only when its owner does`() throws {
        let first = try ScratchFolder()
        let path = first.path
        try Files.writeAtomically(path + "/a", [1], mode: 0o600)
        let second = try ScratchFolder()
        #expect(second.path != path)
        #expect(try Files.list(path) == ["a"])
        #expect(try Files.information(path)?.mode == 0o700)
        withExtendedLifetime((first, second)) {}
        let gone = try ScratchFolder().path
        #expect(try !Files.exists(gone))
    }

    @Test func `a temporary folder that a killed process left goes when the next is made`() throws {
        let place = EnvironmentVariables.value("TMPDIR") ?? "/tmp"
        let left = "\(place)/daybook-scratch-0123456789abcdef"
        // It appears whole: other processes remove what is left over, too.
        let made = "\(place)/\(folder.path.split(separator: "/").last ?? "made").made"
        try Files.createDirectory(made, mode: 0o700)
        try Files.writeAtomically(made + "/data.mdb", [1], mode: 0o600)
        #expect(rename(made, left) == 0)
        _ = try ScratchFolder()
        #expect(try !Files.exists(left))
    }

    @Test func `a temporary folder can be made while others remove old ones`()
        async throws
    {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<300 { _ = try ScratchFolder() }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `a file that gets its name never takes the place of another`() throws {
        let path = "\(folder.path)/a"
        let file = try NewFile(path, mode: 0o600)
        try file.write([1])
        try Files.writeAtomically(path, [2], mode: 0o600)
        let error = #expect(throws: SystemError.self) { try file.complete(replacing: false) }
        #expect(error?.code == .fileExists)
        #expect(try Files.read(path, limit: 9) == [2])
    }
}
