import Glibc
import Testing
import TestSupport

@testable import DaybookSystem

struct FilesTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `a file that was written atomically is read back, with the mode asked for`() throws {
        let path = "\(folder.path)/a"
        try Files.writeAtomically(path, [1, 2, 3], mode: 0o600)
        #expect(try Files.read(path, limit: 3) == [1, 2, 3])
        let information = try #require(try Files.information(path))
        #expect(information.kind == .file)
        #expect(information.size == 3)
        #expect(information.mode == 0o600)
        #expect(information.owner == Files.currentUser)
    }

    @Test func `writing again replaces the content and leaves no temporary file`() throws {
        let path = "\(folder.path)/a"
        try Files.writeAtomically(path, [1], mode: 0o600)
        try Files.writeAtomically(path, [2, 2], mode: 0o644)
        #expect(try Files.read(path, limit: 10) == [2, 2])
        #expect(try Files.list(folder.path) == ["a"])
    }

    @Test func `a pipe is an input, but no file of ours: reading it may never end`() throws {
        let path = "\(folder.path)/pipe"
        try #require(mkfifo(path, 0o600) == 0)
        let refusal = SystemError(code: .invalidArgument, operation: "read", path: path)
        #expect(throws: refusal) { try Files.read(path, limit: 9) }
        #expect(throws: refusal) { try Files.readPrefix(path, count: 9) }
        #expect(throws: refusal) { try Files.copy(path, to: path + "2", mode: 0o600) }
        let thread = WorkThread()
        thread.run {
            try? Files.writeCarelessly(path, [1, 2], mode: 0o600)
            return {}
        }
        #expect(try Files.readInput(path, limit: 9) == [1, 2])
    }

    @Test func `a write that fails leaves nothing behind`() throws {
        try Files.createDirectory("\(folder.path)/a", mode: 0o700)
        try Files.writeAtomically("\(folder.path)/a/inner", [], mode: 0o600)
        #expect(throws: SystemError.self) {
            try Files.writeAtomically("\(folder.path)/a", [1], mode: 0o600)
        }
        #expect(try Files.list(folder.path) == ["a"])
    }

    @Test func `a file beyond the limit is refused`() throws {
        let path = "\(folder.path)/a"
        try Files.writeAtomically(path, [UInt8](repeating: 7, count: 100_000), mode: 0o600)
        #expect(try Files.read(path, limit: 100_000).count == 100_000)
        #expect(throws: SystemError(code: .fileTooLarge, operation: "read", path: path)) {
            try Files.read(path, limit: 99_999)
        }
    }

    @Test func `a missing file is a named error and not an existing path`() throws {
        let path = "\(folder.path)/none"
        #expect(try !Files.exists(path))
        let error = #expect(throws: SystemError.self) { try Files.read(path, limit: 1) }
        #expect(error?.code == .noSuchFile)
        #expect(error?.description == "cannot open \(path): no such file or directory")
    }

    @Test func `a path with a nul never names another file`() throws {
        try Files.writeAtomically("\(folder.path)/a", [1], mode: 0o600)
        let error = #expect(throws: SystemError.self) {
            try Files.read("\(folder.path)/a\0b", limit: 10)
        }
        #expect(error?.code == .invalidArgument)
        #expect(throws: SystemError.self) { try Files.exists("\(folder.path)/a\0b") }
    }

    @Test func `names are listed in the order of their bytes`() throws {
        for name in ["b", "Z", "a", "é", "10", "9"] {
            try Files.writeAtomically("\(folder.path)/\(name)", [], mode: 0o600)
        }
        #expect(try Files.list(folder.path) == ["10", "9", "Z", "a", "b", "é"])
    }

    @Test func `folders are made with all that is missing above them`() throws {
        try Files.createDirectories("\(folder.path)/x/y/z", mode: 0o700)
        try Files.createDirectories("\(folder.path)/x/y/z", mode: 0o700)
        #expect(try Files.information("\(folder.path)/x/y/z")?.kind == .directory)
        #expect(throws: SystemError.self) {
            try Files.createDirectory("\(folder.path)/x", mode: 0o700)
        }
    }

    @Test(arguments: [("/a/b", "/a"), ("/a/b/", "/a"), ("/a", "/"), ("b", "."), ("a/b", "a")])
    func `the parent of a path is the folder that holds it`(path: String, parent: String) {
        #expect(Files.parent(of: path) == parent)
    }

    @Test func `renaming moves a folder with its content`() throws {
        try Files.createDirectory("\(folder.path)/x", mode: 0o700)
        try Files.writeAtomically("\(folder.path)/x/f", [9], mode: 0o600)
        try Files.renameDurably("\(folder.path)/x", to: "\(folder.path)/y")
        #expect(try Files.read("\(folder.path)/y/f", limit: 1) == [9])
        #expect(try !Files.exists("\(folder.path)/x"))
    }

    @Test func `a file is extended with zeros and never cut`() throws {
        let path = "\(folder.path)/a"
        try Files.writeAtomically(path, [1, 2, 3], mode: 0o600)
        try Files.extend(path, to: 0)
        try Files.extend(path, to: 2)
        #expect(try Files.read(path, limit: 9) == [1, 2, 3])
        try Files.extend(path, to: 5)
        #expect(try Files.read(path, limit: 9) == [1, 2, 3, 0, 0])
    }

    @Test func `a copy has the same bytes and is not made over a file`() throws {
        let bytes = [UInt8](repeating: 9, count: 3 << 20)
        try Files.writeAtomically("\(folder.path)/a", bytes, mode: 0o600)
        try Files.copy("\(folder.path)/a", to: "\(folder.path)/b", mode: 0o600)
        #expect(try Files.read("\(folder.path)/b", limit: 4 << 20) == bytes)
        #expect(try Files.readPrefix("\(folder.path)/b", count: 2) == [9, 9])
        #expect(throws: SystemError.self) {
            try Files.copy("\(folder.path)/a", to: "\(folder.path)/b", mode: 0o600)
        }
    }

    @Test func `a tree is removed without following links out of it`() throws {
        try Files.createDirectories("\(folder.path)/tree/inner", mode: 0o700)
        try Files.writeAtomically("\(folder.path)/kept", [1], mode: 0o600)
        try Files.createDirectory("\(folder.path)/other", mode: 0o700)
        try Files.writeAtomically("\(folder.path)/other/kept", [1], mode: 0o600)
        symlink("\(folder.path)/other", "\(folder.path)/tree/link")
        try Files.removeTree("\(folder.path)/tree")
        #expect(try Files.list(folder.path) == ["kept", "other"])
        #expect(try Files.list("\(folder.path)/other") == ["kept"])
    }
}
