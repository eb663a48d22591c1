import DaybookMigrations
import DaybookSystem
import Glibc
import Testing
import TestSupport

@testable import DaybookLMDB
@testable import DaybookLog

struct EnvironmentTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `a cursor walks both ways and finds the nearest keys`() throws {
        try DaybookLMDB.Environment(folder.path).write { view in
            let table = try #require(try view.table("t", create: true))
            for key: UInt8 in [2, 4, 6] { try view.put(table, [key], [key]) }
            let cursor = try Cursor(view, table)
            try #expect(cursor.first()?.key == [2])
            try #expect(cursor.last()?.key == [6])
            try #expect(cursor.seek([3])?.key == [4])
            try #expect(cursor.next()?.key == [6])
            try #expect(cursor.next() == nil)
            try #expect(cursor.seek([7]) == nil)
            try #expect(cursor.seek([])?.key == [2])
            try #expect(cursor.seekBefore([4])?.key == [2])
            try #expect(cursor.seekBefore([9])?.key == [6])
            try #expect(cursor.seekBefore([2]) == nil)
            try #expect(cursor.seekBefore([]) == nil)
        }
    }

    @Test func `an environment whose making was cut off is made by the next try`() throws {
        let building = "\(folder.path)/.creating"
        try Files.createDirectory(building, mode: 0o700)
        try Files.writeAtomically("\(building)/data.mdb", [0], mode: 0o600)
        for key: UInt8 in [1, 2] {
            try DaybookLMDB.Environment.createIfMissing(folder.path)
            try DaybookLMDB.Environment(folder.path).write { view in
                let table = try #require(try view.table("t", create: true))
                try view.put(table, [key], [key], mode: .insert)
            }
        }
        #expect(try Files.list(folder.path) == ["data.mdb", "lock.mdb"])
    }

    @Test func `a reader's place has its space before the disk is full`() throws {
        _ = try DaybookLMDB.Environment(folder.path)
        var raw = stat()
        #expect(stat("\(folder.path)/lock.mdb", &raw) == 0)
        #expect(raw.st_size == 32_768)
        #expect(raw.st_blocks * 512 >= raw.st_size)
    }

    @Test func `an append out of order and an insert over a key are refused`() throws {
        let environment = try DaybookLMDB.Environment(folder.path)
        #expect(throws: LMDBError.keyExists) {
            try environment.write { view in
                let table = try #require(try view.table("t", create: true))
                try view.put(table, [2], [], mode: .append)
                try view.put(table, [1], [], mode: .append)
            }
        }
        #expect(throws: LMDBError.keyExists) {
            try environment.write { view in
                let table = try #require(try view.table("t", create: true))
                try view.put(table, [2], [], mode: .insert)
                try view.put(table, [2], [], mode: .insert)
            }
        }
        #expect(try environment.read { try $0.table("t") == nil })
    }

    @Test func `a table that does not exist is none`() throws {
        let environment = try DaybookLMDB.Environment(folder.path)
        #expect(try environment.read { try $0.table("none") == nil })
    }

    @Test func `a snapshot does not see later commits`() throws {
        let environment = try DaybookLMDB.Environment(folder.path)
        try environment.write { view in
            let table = try #require(try view.table("t", create: true))
            try view.put(table, [1], [1])
        }
        try environment.read { first in
            let table = try #require(try first.table("t"))
            try environment.read { second in
                try #expect(second.value(table, [1]) == [1])
            }
            try #expect(first.count(table) == 1)
        }
    }

    @Test func `a write inside a read is a bug that stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let folder = try TemporaryFolder()
            let environment = try DaybookLMDB.Environment(folder.path)
            try environment.read { _ in try environment.write { _ in } }
        }
    }

    @Test func `using a view after its transaction is a bug that stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let folder = try TemporaryFolder()
            let environment = try DaybookLMDB.Environment(folder.path)
            let view = try environment.read { $0 }
            _ = try view.table("t")
        }
    }

    /// Copies a file while `commits` commits happen between its meta pages and the rest.
    private func copies(withCommits commits: Int) throws -> Int {
        let environment = try DaybookLMDB.Environment(folder.path)
        func commit() throws {
            try environment.write { view in
                let table = try #require(try view.table("t", create: true))
                try view.put(table, [1], Array(repeating: 1, count: 100))
            }
        }
        for _ in 0..<5 { try commit() }
        var attempts = 0
        try DaybookLMDB.Environment.copyCommitted(
            from: "\(folder.path)/data.mdb", to: "\(folder.path)/copy"
        ) { path, copy in
            attempts += 1
            let meta = try Files.readPrefix(path, count: 8192)
            if attempts == 1 { for _ in 0..<commits { try commit() } }
            var bytes = try Files.read(path, limit: 1 << 30)
            bytes.replaceSubrange(0..<8192, with: meta)
            try Files.writeAtomically(copy, bytes, mode: 0o600)
        }
        return attempts
    }

    @Test(arguments: [(0, 1), (1, 1), (2, 2), (3, 2), (4, 2)])
    func `a copy is taken again when commits could have reused its pages`(
        commits: Int, attempts: Int
    ) throws {
        #expect(try copies(withCommits: commits) == attempts)
    }

    @Test func `a copy that is always outrun is given up by name`() throws {
        let environment = try DaybookLMDB.Environment(folder.path)
        var number: UInt8 = 0
        #expect(throws: LMDBError.copyOutrun) {
            try DaybookLMDB.Environment.copyCommitted(
                from: "\(folder.path)/data.mdb", to: "\(folder.path)/copy"
            ) { path, copy in
                try Files.copy(path, to: copy, mode: 0o600)
                for _ in 0..<2 {
                    number &+= 1
                    try environment.write { view in
                        let table = try #require(try view.table("t", create: true))
                        try view.put(table, [number], [])
                    }
                }
            }
        }
        #expect(try !Files.exists("\(folder.path)/copy"))
    }

    @Test func `every code has a text in lower case`() {
        let codes: [LMDBError] = [
            .keyExists, .notFound, .corrupted, .mapFull, .readersFull, .alreadyOpen, .poisoned,
            .copyOutrun, LMDBError(rawValue: 28),
        ]
        for code in codes {
            #expect(!code.description.isEmpty)
            #expect(code.description == code.description.lowercased())
        }
        #expect(LMDBError(rawValue: -12_345).rawValue == -12_345)
        #expect(LMDBVersion.text.hasPrefix("0.9."))
    }
}
