import DaybookEncoding
import TestSupport
import Testing

struct UsageTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
    }

    @Test(arguments: [
        [], ["wallet"], ["wallet", "list", "extra"], ["wallet", "address"], ["show"],
        ["show", "one"], ["show", "+1"], ["approve", "1", "--amount"],
        ["approve", "1", "--amount", "--yes"], ["open"],
        ["open", "a", "b"], ["balance", "--yes"], ["balance", "--at", "x"],
        ["balance", "--frobnicate"], ["balance", "--json=1"], ["balance", "--at=1", "--at=2"],
        ["sandbox", "fund", "1"], ["node"], ["node", "set", "dash", "mainnet"],
        ["node", "set", "doge", "mainnet", "http://a"],
        ["node", "set", "dash", "sandbox", "http://a"],
        ["node", "set", "dash", "mainnet", "http://a", "--user", "u"], ["node", "check", "dash"],
        ["node", "check", "dash", "sandbox"], ["node", "remove", "dash"],
        ["sync", "--interval", "5"],
        ["sync", "--follow", "--interval", "0"], ["sync", "--follow", "--interval", "3601"],
    ])
    func `a wrong call is status 2, says why, and says it as JSON if asked`(
        words: [String]
    ) throws {
        let plain = try call(words)
        #expect(plain.status == 2, "\(plain.error)")
        #expect(plain.code == "usage")
        #expect(plain.output.isEmpty)
        #expect(plain.lastWords.hasPrefix("daybook: "))
        let json = try call(words + ["--json"])
        #expect(json.status == 2)
        try #expect(json.object["error"]?["code"] == .string("usage"))
        try #expect(json.object["error"]?["message"]?.stringValue?.isEmpty == false)
    }

    @Test func `a call with a word too few or too many says what the command takes`() throws {
        let many = try call(["wallet", "add", "dash"])
        #expect(
            many.lastWords.contains(
                "no place for 'dash': wallet add takes no arguments; try wallet add --help"))
        let few = try call(["sandbox", "fund", "1"])
        #expect(few.lastWords.contains("sandbox fund takes W AMOUNT; try sandbox fund --help"))
    }

    @Test(arguments: [
        "desktop", "frobnicate", "wallet\u{202e}", "-",
    ])
    func `a word that is no command is unknown`(word: String) throws {
        let answer = try call([word, "list"])
        answer.expectFailure(2, "unknownCommand", of: "arguments")
        #expect(!answer.error.contains("\u{202e}"))
    }

    @Test func `a command of a group that is none names those that are`() throws {
        let answer = try call(["wallet", "steal"])
        answer.expectFailure(2, "unknownCommand", of: "arguments")
        #expect(answer.lastWords.contains("add, list, address, rename, remove, passphrase"))
    }

    @Test func `a long word is not repeated whole`() throws {
        let answer = try call([String(repeating: "x", count: 1000)])
        #expect(answer.status == 2)
        #expect(answer.error.count < 200)
    }

    @Test(arguments: [
        "init", "wallet add", "wallet list", "wallet address", "open", "pending", "show",
        "approve", "reject", "bump", "cancel", "balance", "bindings", "callbacks", "sync",
        "node set",
        "node remove", "node list", "node check", "sandbox fund",
        "sandbox mine", "sandbox reorganise", "sandbox fault", "log",
    ])
    func `every command explains itself and stands in the overall help`(name: String) throws {
        let answer = try call(name.split(separator: " ").map(String.init) + ["--help"])
        #expect(answer.status == 0)
        #expect(answer.output.hasPrefix("usage: daybook \(name)"))
        #expect(answer.error.isEmpty)
        #expect(try call(["--help"]).output.contains("\n  \(name) "))
        #expect(try call(["help"] + name.split(separator: " ").map(String.init)).output
            == answer.output)
    }

    @Test func `both programs say their version`() throws {
        #expect(try call(["--version"]).output.hasPrefix("daybook "))
        let answer = try scene.replay("--version")
        #expect(answer.status == 0)
        #expect(answer.output.hasPrefix("daybook-replay "))
    }

    @Test func `without a place for the store it is asked for`() throws {
        let answer = try Programs.run(
            [Programs.daybook, "pending"],
            environment: ["HOME": "", "XDG_DATA_HOME": ""])
        answer.expectFailure(2, "usage", of: "pending")
    }

    @Test func `the store is where --home, DAYBOOK_HOME, XDG_DATA_HOME or HOME say`() throws {
        let program = Programs.daybook
        let data = scene.path("data")
        let inData = try Programs.run([program, "init"], environment: ["XDG_DATA_HOME": data])
        #expect(inData.status == 0, "\(inData.error)")
        let user = scene.path("user")
        let inUser = try Programs.run(
            [program, "init", "--json"], environment: ["XDG_DATA_HOME": "", "HOME": user])
        try #expect(
            inUser.object["home"]?.stringValue?.hasSuffix("/user/.local/share/daybook") == true)
        let relative = try Programs.run(
            [program, "wallet", "list", "--json"],
            environment: ["XDG_DATA_HOME": "data", "HOME": user])
        #expect(relative.status == 0, "a relative path is ignored: \(relative.error)")
        let both = try Programs.run(
            [program, "pending", "--home", "\(data)/daybook"],
            environment: ["DAYBOOK_HOME": "/nowhere"])
        #expect(both.status == 0)
    }

    private func call(_ words: [String]) throws -> ProgramRun {
        try Programs.run(
            [Programs.daybook] + words, environment: ["DAYBOOK_HOME": scene.home])
    }
}
