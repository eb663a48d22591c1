import DaybookEncoding
import Foundation
import Testing
import TestSupport

/// The same bytes mean the same at every door: no input changes between two of them.
struct DoorInputTests {
    /// Texts, each of another payment, so that no prompt speaks of an earlier one.
    private static let texts: [String] = {
        let pay = { (amount: String, rest: String) in
            "dash:\(Scene.payee)?amount=0.\(amount)\(rest)"
        }
        let bind = { (id: Int) in Scene.connect(#"{"id":\#(id),"method":"bind"}"#) }
        let send = #"{"id":5,"method":"sendICX","params":{"from":"\#(Scene.icon)","#
            + #""to":"hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e","value":"0x7"}}"#
        return [
            pay("1", ""), pay("12", "&nopay&&caf%C3%A9=1&"), pay("13", "\n"), pay("14", " \r\n\t"),
            "\u{feff}" + pay("15", ""), "\u{a0}\n" + pay("16", "") + "\u{3000}",
            "DASH://\(Scene.payee)/?AMOUNT=%30.17", pay("18", "&message=1%0D%0A2%09%00%1b%5B31m"),
            pay("19", "&label=%E2%80%AE%F0%9F%8D%86%20e%CC%81%20%C3%A9"), pay("21", "&message=%FF"),
            pay("22", "&message=é"), pay("23", "&message=a b"), pay("24", "\u{0b}&message=a"),
            pay("25", "&message=%22%5C%2Fu0000%5Cu00e9"), pay("26", "&message=\\u0041\""),
            pay("27", "&req-pj=1"), pay("28", "&%72eq-x"), pay("29", "&pop=app%3A%3F"),
            pay("31", "&pop=https%3A%2F%2Fa"), pay("32", "&sender=shop"),
            pay("33", "&message=+%2B"),
            pay("34", "&message=\(String(repeating: "%F0%9F%92%A9", count: 140))"),
            pay("35", "#x"), pay("36", "&amount=1"), "dash:\(Scene.payee.lowercased())?amount=0.37",
            "dashwallet://pay=\(Scene.payee)&amount=0.38&sender=shop2&message=%C3%A9",
            "dashwallet://?pay=\(Scene.payee)&amount=0.39&sender=shop3/",
            "axe:P8bB9yPr3vVByqfmM5KXftyGckAtAdu6f8?amount=0.41&label=%7f", bind(1), bind(-7),
            bind(2).replacing("%3D", with: "="), bind(3).replacing("&", with: "%0A&"),
            Scene.connect(send), Scene.connect(#"{"id":9223372036854775808,"method":"bind"}"#),
            Scene.connect(#"{"id":6,"method":"\u0062ind","x":"\ud83c\udf46"}"#),
            Scene.connect(#"{"id":7,"id":8,"method":"bind"}"#), "https://example.org/", "nothing",
            "dash:\(Scene.payee)?message=" + String(repeating: "a", count: 70_000),
            "dash:\(Scene.payee)?message=KwDiBf89QgGbjEhKnhXJuH7LrciVrZi3qYjgd9M7rFU73sVHnoWn",
        ]
    }()

    @Test func `the same bytes give the same digest, refusal and callback at every door`()
        async throws
    {
        let scene = try Scene()
        let expected = try Self.texts.map { text in
            let answer = try scene.daybook("open", text, "--json")
            return try Self.answer(answer.objects[0]) { request in
                try scene.done("reject", request)
            }
        }
        #expect(expected.contains { $0["digest"] != nil })
        #expect(expected.contains { $0["code"] != nil })
        try expectInput(expected)
        for make in [Self.socket, Self.page, Self.pipe, Self.python, Self.pythonLibrary] {
            let scene = try Scene()
            let (door, end) = try make(scene)
            try Self.expect(expected, through: door)
            end()
            try scene.expectCleanReplay()
        }
        let other = try Scene()
        let home = other.home
        try await onThread { try Self.expect(expected, through: try LibraryDoor(home)) }
        try other.expectCleanReplay()
    }

    /// The lines of standard input, as far as a text is one line.
    private func expectInput(_ expected: [JSON]) throws {
        let scene = try Scene()
        for (text, wanted) in zip(Self.texts, expected) where !text.contains(where: \.isNewline) {
            let answer = try scene.daybook("open", "-", "--json", input: text + "\n")
            let found = try Self.answer(answer.objects[0]) { try scene.done("reject", $0) }
            #expect(found == wanted, "standard input: \(text.prefix(80).debugDescription)")
        }
    }

    private static func expect(_ expected: [JSON], through door: any Door) throws {
        for (text, wanted) in zip(texts, expected) {
            let opened = try door.result("request.open", ["url": .string(text)])
            let found = try answer(opened) { request in
                _ = try door.result("request.reject", ["request": .number(request)])
            }
            #expect(found == wanted, "\(door.name): \(text.prefix(80).debugDescription)")
        }
    }

    /// The answer about a text; a request that waits is rejected.
    private static func answer(_ opened: JSON, reject: (String) throws -> Void) throws -> JSON {
        if opened["status"] == .string("pending") {
            try reject(try #require(opened["request"]?.numberLiteral))
        }
        let members = ["status", "protocol", "method", "sender", "code", "reason", "callback"]
        return .object(
            members.compactMap { name in opened[name].map { .init(name: name, value: $0) } }
                + (opened["prompt"]?["digest"].map { [.init(name: "digest", value: $0)] } ?? []))
    }

    // MARK: - Doors

    private static func socket(_ scene: Scene) throws -> (any Door, end: () -> Void) {
        let server = try Server(scene)
        return (try SocketDoor(server), { _ = server.program.end(by: SIGTERM) })
    }

    private static func page(_ scene: Scene) throws -> (any Door, end: () -> Void) {
        let program = try RunningProgram(
            [
                Programs.daybook, "serve", "--json", "--page", "--socket",
                scene.path("page-socket"),
            ], environment: ["DAYBOOK_HOME": scene.home])
        let address = try #require(try program.object()["page"]?.stringValue)
        return (try PageDoor(address), { _ = program.end(by: SIGTERM) })
    }

    private static func pipe(_ scene: Scene) throws -> (any Door, end: () -> Void) {
        let door = try PipeDoor(scene.home)
        return (door, { _ = door.end() })
    }

    private static func python(_ scene: Scene) throws -> (any Door, end: () -> Void) {
        let server = try Server(scene)
        let door = try PipeDoor(python: "connect", server.path)
        return (
            door,
            {
                _ = door.end()
                _ = server.program.end(by: SIGTERM)
            }
        )
    }

    private static func pythonLibrary(_ scene: Scene) throws -> (any Door, end: () -> Void) {
        let door = try PipeDoor(python: "open", scene.home)
        return (door, { _ = door.end() })
    }
}
