import DaybookEncoding
import Foundation
import TestSupport
import Testing

/// Setting nodes that nobody runs: port 1 refuses every connection.
struct NodeSettingsCommandTests {
    private static let canary = "zeppelin-Marmalade_53"
    private let scene: Scene

    init() throws {
        scene = try Scene(empty: true)
        try scene.done("init")
    }

    @Test func `a node that does not answer is set all the same, and check says what is wrong`()
        throws
    {
        let set = try scene.done("node", "set", "dash", "regtest", "http://127.0.0.1:1", "--json")
        let node = try set.object
        #expect(node["chain"]?.stringValue == "dash")
        #expect(node["network"]?.stringValue == "regtest")
        #expect(node["url"]?.stringValue == "http://127.0.0.1:1/")
        #expect(node["ok"]?.boolValue == false)
        #expect(node["problem"]?.stringValue?.hasSuffix("(nodeUnreachable)") == true)
        #expect(set.error.isEmpty)
        #expect(try scene.done("node", "list", "--json").object == node)
        let check = try scene.daybook("node", "check", "--json")
        #expect(check.status == 5)
        #expect(try check.object == node)
        #expect(try scene.daybook("node", "check").output.contains("check the address and port"))
        try scene.done("node", "remove", "dash", "regtest")
        #expect(try scene.done("node", "check", "--json").output.isEmpty)
        try scene.daybook("node", "check", "dash", "regtest")
            .expectFailure(5, "nodeMissing", of: "node check")
        try scene.daybook("node", "remove", "dash", "regtest")
            .expectFailure(1, "unknownNode", of: "node remove")
    }

    @Test func `a password is in the file of logins and nowhere else`() throws {
        let secret = try scene.write("secret", Self.canary + "\n")
        let login = try scene.write("login", "carol:" + Self.canary)
        let cookie = try scene.write(".cookie", "__cookie__:" + Self.canary)
        var answers: [ProgramRun] = []
        answers.append(
            try scene.done(
                "node", "set", "dash", "regtest", "http://127.0.0.1:1", "--user", "bob",
                "--password-file", secret))
        answers.append(
            try scene.done(
                "node", "set", "icon", "mainnet", "http://127.0.0.1:1", "--password-file", login))
        answers.append(
            try scene.done(
                "node", "set", "axe", "regtest", "http://127.0.0.1:1", "--password-file", cookie))
        answers.append(
            try scene.daybook(
                "node", "set", "axe", "mainnet", "https://127.0.0.1:1", "--user", "bob",
                "--password-file", "-", input: Self.canary))
        answers.append(try scene.daybook("node", "list", "--json"))
        answers.append(try scene.daybook("node", "check"))
        answers.append(
            try scene.daybook("node", "set", "axe", "testnet", "http://bob:\(Self.canary)@a"))
        answers.append(
            try scene.daybook(
                "node", "set", "axe", "testnet", "http://a", "--user", "bob", "--password-file",
                Self.canary))
        answers.append(try scene.daybook("log", "--json"))
        #expect(answers.map(\.status) == [0, 0, 0, 0, 0, 5, 2, 2, 0])
        for answer in answers {
            #expect(!answer.output.contains(Self.canary) && !answer.error.contains(Self.canary))
        }
        var found: [String] = []
        let files = try #require(FileManager.default.enumerator(atPath: scene.home))
        for case let name as String in files {
            let content = FileManager.default.contents(atPath: "\(scene.home)/\(name)") ?? Data()
            if content.range(of: Data(Self.canary.utf8)) != nil { found.append(name) }
        }
        #expect(found == ["credentials.json"])
        let file = try #require(
            FileManager.default.contents(atPath: "\(scene.home)/credentials.json"))
        let logins = try JSON.parse(Array(file))["nodes"]?.arrayValue
        let passwords = logins?.map { $0["password"]?.stringValue }
        #expect(passwords?.compactMap(\.self) == Array(repeating: Self.canary, count: 3))
        let users = logins?.compactMap { $0["user"]?.stringValue }
        #expect(users?.sorted() == ["bob", "bob", "carol"])
        // Core writes another cookie at each start: its file is remembered, not what is in it.
        #expect(logins?.compactMap { $0["cookieFile"]?.stringValue } == [cookie])
    }

    @Test func `processes that set nodes at the same time lose none`() throws {
        let script = """
            program=$0 secret=$1
            for chain in dash axe icon; do
                for network in regtest testnet mainnet; do
                    "$program" node set $chain $network "http://127.0.0.1:1" --user $network \\
                        --password-file "$secret" > /dev/null || echo failed &
                done
            done
            wait
            """
        let answer = try Programs.run(
            ["/bin/bash", "-c", script, Programs.daybook, try scene.write("secret", "x")],
            environment: ["DAYBOOK_HOME": scene.home])
        #expect(answer.output.isEmpty && answer.error.isEmpty, "\(answer.error)")
        let nodes = try scene.done("node", "list", "--json").objects
        #expect(Set(nodes.map { "\($0["chain"]!)\($0["network"]!)" }).count == 9)
        let logins = try #require(
            FileManager.default.contents(atPath: "\(scene.home)/credentials.json"))
        #expect(try JSON.parse(Array(logins))["nodes"]?.arrayValue?.count == 9)
    }

    @Test func `a file of logins that others can read is refused, and named`() throws {
        let secret = try scene.write("secret", Self.canary)
        func set() throws -> ProgramRun {
            try scene.daybook(
                "node", "set", "dash", "regtest", "http://127.0.0.1:1", "--user", "bob",
                "--password-file", secret)
        }
        #expect(try set().status == 0)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: "\(scene.home)/credentials.json")
        let answer = try set()
        answer.expectFailure(3, "credentialsExposed", of: "node set")
        #expect(answer.error.contains("credentials.json"))
        #expect(try scene.daybook("node", "check", "--json").object["code"]
            == .string("credentialsExposed"))
    }

    @Test func `the results warn that others on the way can read everything`() throws {
        // To connect to this address is to connect to this computer, though it does not look so.
        let open = try scene.done("node", "set", "dash", "regtest", "http://0.0.0.0:1", "--json")
        #expect(open.error.contains("not encrypted") && open.error.contains("password"))
        #expect(try open.object["ok"]?.boolValue == false)
        #expect(try scene.daybook("node", "check").error.contains("not encrypted"))
        let near = try scene.done("node", "set", "dash", "regtest", "http://127.0.0.1:1")
        #expect(near.error.isEmpty)
    }

    @Test func `a wallet without a node does not keep the others from being synced`() throws {
        let words = try scene.write("words", Scene.words)
        for network in ["mainnet", "sandbox"] {
            try scene.done(
                "wallet", "add", "--chain", "dash", "--network", network, "--mnemonic-file", words,
                "--passphrase-file", scene.path("passphrase"), "--label", network)
        }
        try scene.done("sandbox", "fund", "sandbox", "1")
        try scene.done("sandbox", "mine", "2")
        let other = try scene.daybook("sync")
        other.expectFailure(5, "nodeMissing", of: "sync")
        #expect(other.error.contains("dash mainnet"))
        try scene.done("node", "set", "dash", "mainnet", "http://127.0.0.1:1")
        try scene.daybook("sync", "--json").expectFailure(5, "nodeUnreachable", of: "sync")
        try scene.expectCleanReplay()
    }
}
