import DaybookMigrations
import Testing

@testable import DaybookLMDB
@testable import DaybookLog

struct EnvironmentTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func `a cursor walks both ways and finds the nearest keys`() throws {
        try Environment(folder.path).write { view in
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

    @Test func `an append out of order and an insert over a key are refused`() throws {
        let environment = try Environment(folder.path)
        #expect(throws: LMDBError.keyExists) {
            try environment.write { view in
                let table = try #require(try view.table("t", create: true))
                try view.put(table, [2], [], .append)
                try view.put(table, [1], [], .append)
            }
        }
        #expect(throws: LMDBError.keyExists) {
            try environment.write { view in
                let table = try #require(try view.table("t", create: true))
                try view.put(table, [2], [], .insert)
                try view.put(table, [2], [], .insert)
            }
        }
        #expect(try environment.read { try $0.table("t") == nil })
    }

    @Test func `a table that does not exist is none`() throws {
        let environment = try Environment(folder.path)
        #expect(try environment.read { try $0.table("none") == nil })
    }

    @Test func `a snapshot does not see what is committed later`() throws {
        let environment = try Environment(folder.path)
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
            let environment = try Environment(folder.path)
            try environment.read { _ in try environment.write { _ in } }
        }
    }

    @Test func `using a view after its transaction is a bug that stops the program`() async {
        await #expect(processExitsWith: .failure) {
            let folder = try TemporaryFolder()
            let environment = try Environment(folder.path)
            let view = try environment.read { $0 }
            _ = try view.table("t")
        }
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
