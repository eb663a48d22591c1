import DaybookCalls
import DaybookEncoding
import Foundation
import Testing
import TestSupport

/// Every method through every door, by one table.
struct ConformanceTests {
    private let scene: Scene

    init() throws {
        scene = try Scene(empty: true)
        try scene.done("init")
    }

    @Test func `the document's table is made from the table of methods`() throws {
        let run = try ProgramRun([
            Repository.path("tools/dev"), "methods", "--check", "--program",
            "\(ProgramRun.folder)/daybook",
        ])
        #expect(run.status == 0, "\(run.output)")
    }

    @Test func `an error names a parameter as the caller wrote it`() throws {
        let door = try PipeDoor(scene.home)
        let answer = try door.answer(
            .record([
                "jsonrpc": .string("2.0"), "id": .int(1), "method": .string("wallet.add"),
                "params": .record([
                    "chain": .string("dash"), "wif": .string("x"), "gap": .int(20),
                ]),
            ]))
        let message = answer["error"]?["message"]?.stringValue
        #expect(message == "gap goes with mnemonic, on Dash and Axe")
        #expect(door.end() == 0)
        let typed = try scene.daybook(
            "wallet", "add", "--chain", "dash", "--wif-file", "x", "--gap", "20")
        typed.expectFailure(2, "usage", of: "wallet add")
        #expect(typed.error.contains("--gap goes with --mnemonic-file, on Dash and Axe"))
    }

    @Test func `every code that a call ends with is in the table of codes`() throws {
        let run = try ProgramRun(["\(ProgramRun.folder)/daybook", "methods", "--codes"])
        let table = Set(run.output.split(separator: "\n").map(String.init))
        let doors = ["Sources/DaybookCalls", "Sources/DaybookC"]
        let found = try Self.texts(of: #/Self\("(\w+)"\)/#, in: ["Sources/Daybook/Errors"])
            + Self.texts(of: #/CommandFailure\(\s*"(\w+)"/#, in: doors)
        #expect(found.count > 200)
        // A missing one belongs into `DaybookError.Code.all` or `CommandFailure.codes`.
        #expect(Set(found).subtracting(table) == [])
    }

    /// The texts that a pattern captures in the Swift files of folders.
    private static func texts(
        of pattern: Regex<(Substring, Substring)>, in folders: [String]
    ) throws -> [String] {
        try folders.flatMap { folder in
            let path = Repository.path(folder)
            return try FileManager.default.subpathsOfDirectory(atPath: path)
                .filter { $0.hasSuffix(".swift") }
                .flatMap { file in
                    try String(contentsOfFile: "\(path)/\(file)", encoding: .utf8)
                        .matches(of: pattern).map { String($0.1) }
                }
        }
    }

    @Test func `every method is in the conformance table`() {
        let called = Set(ConformanceStep.all.map(\.method))
        // Subscriptions need a connection, which not every door has.
        let others: Set = ["subscribe", "unsubscribe"]
        #expect(Set(Method.all.map(\.name)).subtracting(called) == others)
    }

    @Test func `all methods answer at the socket`() throws {
        let server = try Server(scene)
        _ = try ConformanceStep.perform(through: try SocketDoor(server))
        #expect(server.program.end(by: SIGTERM).status == 0)
        try scene.expectCleanReplay()
    }

    @Test func `all methods answer at the standard streams`() throws {
        let door = try PipeDoor(scene.home)
        _ = try ConformanceStep.perform(through: door)
        #expect(door.end() == 0)
        try scene.expectCleanReplay()
    }

    @Test func `all methods answer at the page's server`() throws {
        let (program, address) = try pageServer()
        _ = try ConformanceStep.perform(through: try PageDoor(address))
        #expect(program.end(by: SIGTERM).status == 0)
        try scene.expectCleanReplay()
    }

    @Test func `all methods answer through the Python package, by the socket and the library`()
        throws
    {
        let server = try Server(scene)
        let socket = try PipeDoor(python: "connect", server.path)
        _ = try ConformanceStep.perform(through: socket)
        #expect(socket.end() == 0)
        #expect(server.program.end(by: SIGTERM).status == 0)
        try scene.expectCleanReplay()
        let other = try Scene(empty: true)
        try other.done("init")
        let library = try PipeDoor(python: "open", other.home)
        _ = try ConformanceStep.perform(through: library)
        #expect(library.end() == 0)
        try other.expectCleanReplay()
    }

    @Test func `all methods answer through the C library`() async throws {
        let home = scene.home
        try await onThread {
            _ = try ConformanceStep.perform(through: try LibraryDoor(home))
        }
        try scene.expectCleanReplay()
    }

    @Test func `a session through all doors and commands at once replays without a divergence`()
        async throws
    {
        let scene = try Scene()
        let server = try Server(scene)
        let (page, address) = try pageServer(of: scene)
        let programs = [
            try PipeDoor(scene.home), try PipeDoor(python: "connect", server.path),
            try PipeDoor(python: "open", scene.home),
        ]
        let doors: [any Door] = [try SocketDoor(server), try PageDoor(address)] + programs
        for (number, door) in doors.enumerated() {
            try pay(number, receivedBy: door, approvedBy: doors[(number + 1) % doors.count])
        }
        let home = scene.home
        try await onThread {
            let library = try LibraryDoor(home)
            try Self.pay(5, receivedBy: library, approvedBy: library)
        }
        let request = try scene.pending(Self.link(6))
        #expect(try scene.approve(request).status == 0)
        for program in programs { #expect(program.end() == 0) }
        for program in [server.program, page] { #expect(program.end(by: SIGTERM).status == 0) }
        let completed = try scene.daybook("requests", "--status", "completed", "--json").objects
        #expect(completed.count == 7)
        try scene.expectCleanReplay()
    }

    @Test func `two programs and a server decide in turn requests that another received`() throws {
        let scene = try Scene()
        let server = try Server(scene)
        let programs = [try PipeDoor(scene.home), try PipeDoor(scene.home)]
        let doors: [any Door] = [try SocketDoor(server)] + programs
        for number in 0..<6 {
            try pay(number, receivedBy: doors[number % 3], approvedBy: doors[(number + 1) % 3])
            // All have the same state, whoever wrote last.
            let seen = try doors.map { door in
                [try door.result("info", [:]), try door.result("balance.list", [:])]
            }
            #expect(seen[1] == seen[0] && seen[2] == seen[0])
        }
        for program in programs { #expect(program.end() == 0) }
        #expect(server.program.end(by: SIGTERM).status == 0)
        try scene.expectCleanReplay()
    }

    private func pageServer(of other: Scene? = nil) throws -> (RunningProgram, address: String) {
        let scene = other ?? scene
        let program = try RunningProgram(
            [
                Programs.daybook, "serve", "--json", "--page", "--socket",
                scene.path("page-socket"),
            ], environment: ["DAYBOOK_HOME": scene.home])
        return (program, try #require(try program.object()["page"]?.stringValue))
    }

    private static func link(_ number: Int) -> String {
        "dashwallet://pay=\(Scene.payee)&amount=0.\(number + 1)&sender=shop\(number)"
    }

    private func pay(
        _ number: Int, receivedBy first: any Door, approvedBy second: any Door
    ) throws {
        try Self.pay(number, receivedBy: first, approvedBy: second)
    }

    private static func pay(
        _ number: Int, receivedBy first: any Door, approvedBy second: any Door
    ) throws {
        let opened = try first.result("request.open", ["url": .string(link(number))])
        let done = try second.result(
            "request.approve",
            [
                "request": opened["request"], "shown": opened["prompt"]?["digest"],
                "passphrase": .string(Scene.passphrase),
            ])
        #expect(done["status"] == .string("completed"), "\(first.name), \(second.name)")
        _ = try first.result("callback.delivered", ["request": opened["request"]])
    }
}

/// Runs blocking work on a thread of its own, so that none of Swift's few threads is blocked.
func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    let failure: String? = await withCheckedContinuation { resumption in
        Thread.detachNewThread {
            do {
                try body()
                resumption.resume(returning: nil)
            } catch {
                resumption.resume(returning: "\(error)")
            }
        }
    }
    #expect(failure == nil, "\(failure ?? "")")
}
