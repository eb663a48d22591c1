import DaybookEncoding
import DaybookSystem
import Foundation
import TestSupport
import Testing

struct WalletCommandTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
    }

    private func add(_ words: String...) throws -> ProgramRun {
        try Programs.run(
            [
                Programs.daybook, "wallet", "add", "--passphrase-file",
                scene.path("passphrase"), "--json",
            ] + words, environment: ["DAYBOOK_HOME": scene.home])
    }

    @Test func `wallet list has a line for each wallet`() throws {
        let wallets = try scene.daybook("wallet", "list", "--json").objects
        #expect(wallets.map { $0["chain"]?.stringValue } == ["dash", "axe", "icon"])
        #expect(wallets.map { $0["network"]?.stringValue } == ["sandbox", "sandbox", "sandbox"])
        #expect(wallets.map { $0["label"]?.stringValue } == ["my-dash", "my-axe", "my-icon"])
        #expect(wallets.allSatisfy { $0["wallet"]?.intValue != nil })
        #expect(wallets[2]["address"]?.stringValue == Scene.icon)
        let text = try scene.done("wallet", "list").output
        #expect(text.contains(Scene.icon))
    }

    @Test func `new words are given to a program once, and never to a file by accident`() throws {
        let made = try add("--chain", "dash", "--new", "--network", "testnet").object
        #expect(made["mnemonic"]?.stringValue?.split(separator: " ").count == 12)
        #expect(made["network"]?.stringValue == "testnet")
        #expect(made["address"]?.stringValue?.hasPrefix("y") == true)
        #expect(made["label"] == .null)
        let text = try scene.daybook(
            "wallet", "add", "--chain", "axe", "--new", "--passphrase-file",
            scene.path("passphrase"))
        text.expectFailure(2, "terminalMissing", of: "wallet add")
        #expect(text.output.isEmpty)
    }

    @Test func `a new ICON wallet has no words`() throws {
        let made = try add("--chain", "icon", "--new", "--nid", "0x53").object
        #expect(made["mnemonic"] == nil)
        #expect(made["address"]?.stringValue?.hasPrefix("hx") == true)
    }

    @Test func `words make an ICON wallet by choice, and the same one elsewhere`() throws {
        let made = try add("--chain", "icon", "--new", "--words").object
        let words = try #require(made["mnemonic"]?.stringValue)
        let address = try #require(made["address"]?.stringValue)
        let other = try Scene(empty: true)
        try other.done("init")
        func take(_ options: String...) throws -> JSON {
            try Programs.run(
                [
                    Programs.daybook, "wallet", "add", "--chain", "icon", "--json",
                    "--mnemonic-file", other.write("words", words), "--passphrase-file",
                    other.path("passphrase"),
                ] + options, environment: ["DAYBOOK_HOME": other.home]
            ).object
        }
        let taken = try take()
        #expect(taken["address"]?.stringValue == address)
        // Where coins may lie as well: the address at Ledger's path, which is a wallet too.
        let ledger = try take("--coin-type", "4801368")
        #expect(ledger["address"] == taken["otherAddress"])
        #expect(ledger["otherAddress"] == taken["address"])
    }

    @Test func `the same words again are the same wallet`() throws {
        let words = try scene.write("words", Scene.words + "\n")
        try add("--chain", "dash", "--mnemonic-file", words)
            .expectFailure(1, "walletExists", of: "wallet add")
    }

    @Test(arguments: [
        ("--mnemonic-file", "abandon abandon", "invalidMnemonic"),
        ("--mnemonic-file", Scene.words + " abandon", "invalidMnemonic"),
        ("--wif-file", "XnotAKey", "invalidKey"),
        ("--key-file", "00", "invalidKey"),
    ])
    func `a secret that is none is refused and not repeated`(
        option: String, text: String, code: String
    ) throws {
        let answer = try add("--chain", "dash", option, try scene.write("secret", text))
        answer.expectFailure(2, code, of: "wallet add")
        #expect(!answer.error.contains(text) && !answer.output.contains(text))
    }

    @Test(arguments: [
        ["--chain", "doge", "--new"], ["--new"], ["--chain", "dash"],
        ["--chain", "dash", "--new", "--key-file", "x"],
        ["--chain", "dash", "--new", "--network", "moon"],
        ["--chain", "dash", "--new", "--nid", "3"],
        ["--chain", "icon", "--new", "--coin-type", "5"],
        ["--chain", "icon", "--new", "--coin-type", "74"],
        ["--chain", "icon", "--new", "--words", "--coin-type", "60"],
        ["--chain", "icon", "--words", "--key-file", "x"],
        ["--chain", "dash", "--new", "--coin-type", "5"],
        ["--chain", "axe", "--new", "--coin-type", "6"],
        ["--chain", "icon", "--new", "--nid", "three"],
        ["--chain", "icon", "--new", "--keystore-passphrase-file", "x"],
        ["--chain", "icon", "--keystore", "-", "--keystore-passphrase-file", "-"],
    ])
    func `options that make no sense are wrong usage`(words: [String]) throws {
        let answer = try Programs.run(
            [Programs.daybook, "wallet", "add", "--json"] + words,
            environment: ["DAYBOOK_HOME": scene.home])
        answer.expectFailure(2, "usage", of: "wallet add")
    }

    @Test func `a passphrase comes from standard input, less one newline, and never from none`()
        throws
    {
        let made = try scene.daybook(
            "wallet", "add", "--chain", "icon", "--new", "--json", "--passphrase-file", "-",
            input: "other words\n")
        #expect(made.status == 0)
        try scene.daybook("wallet", "add", "--chain", "icon", "--new", "--json")
            .expectFailure(4, "passphraseMissing", of: "wallet add")
        try scene.daybook(
            "wallet", "add", "--chain", "icon", "--new", "--passphrase-file", "-", input: "\n"
        ).expectFailure(2, "passphraseEmpty", of: "wallet add")
        try scene.daybook(
            "wallet", "add", "--chain", "icon", "--new", "--passphrase-file", "/nowhere"
        ).expectFailure(2, "unreadableFile", of: "wallet add")
    }

    @Test func `a line break of Windows is no part of a passphrase`() throws {
        let request = try scene.pending(
            Scene.connect(
                #"{"id":1,"method":"sendICX","params":{"from":"\#(Scene.icon)","to":"\#(payee)","#
                    + #""value":"0x1"}}"#))
        try scene.write("windows", Scene.passphrase + "\r\n")
        try scene.done("approve", request, "--passphrase-file", scene.path("windows"))
    }

    @Test(arguments: ["--passphrase-file", "--wif-file"])
    func `a secret in the place of its file's name is not repeated`(option: String) throws {
        var words = [
            "--wif-file": try scene.write("wif", "x"),
            "--passphrase-file": scene.path("passphrase"),
        ]
        words[option] = "hunter2-XBHddvWWiMu3nZhhpTXBQWJMmdz5JNKJD85b9fgKAckCT2coW3Y4"
        let answer = try Programs.run(
            [Programs.daybook, "wallet", "add", "--chain", "dash", "--json"]
                + words.flatMap { [$0.key, $0.value] },
            environment: ["DAYBOOK_HOME": scene.home])
        answer.expectFailure(2, "unreadableFile", of: "wallet add")
        #expect(!(answer.error + answer.output).contains("hunter2"))
    }

    private let payee = "hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e"

    @Test func `wallet address finds a wallet by id or label`() throws {
        let id = try scene.daybook("wallet", "list", "--json").objects[0]["wallet"]?.numberLiteral
        let byLabel = try scene.daybook("wallet", "address", "my-dash", "--json").object
        let byID = try scene.daybook("wallet", "address", try #require(id), "--json").object
        #expect(byLabel == byID)
        #expect(byLabel["address"]?.stringValue?.hasPrefix("X") == true)
        try scene.daybook("wallet", "address", "nobody", "--json")
            .expectFailure(1, "unknownWallet", of: "wallet address")
        try scene.daybook("wallet", "address", "99999")
            .expectFailure(1, "unknownWallet", of: "wallet address")
    }

    @Test func `Dash Core imports the descriptors of a wallet`() throws {
        let answer = try scene.daybook("wallet", "export-descriptors", "my-dash", "--json").object
        let all = try #require(answer["descriptors"]?.arrayValue)
        let ranges = all.map { $0["range"]?.arrayValue?.map(\.intValue) }
        #expect(all.map { $0["active"] == .bool(true) } == [true, true, false, false])
        #expect(all.map { $0["internal"] == .bool(true) } == [false, true, false, true])
        #expect(all.allSatisfy { $0["timestamp"]?.intValue == 0 })
        #expect(ranges == Array(repeating: [0, 1000], count: 4))
        #expect(all[0]["desc"]?.stringValue?.hasSuffix("/0/*)#nz6rwrdh") == true)
        let text = try scene.done("wallet", "export-descriptors", "my-dash").output
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines == all.compactMap { $0["desc"]?.stringValue })
        try scene.daybook("wallet", "export-descriptors", "my-icon")
            .expectFailure(2, "wrongChain", of: "wallet export-descriptors")
    }

    @Test func `a label that two wallets have is ambiguous`() throws {
        #expect(try add("--chain", "icon", "--new", "--label", "my-icon").status == 0)
        try scene.daybook("wallet", "address", "my-icon")
            .expectFailure(2, "ambiguousWallet", of: "wallet address")
    }
}
