import DaybookEncoding
import Foundation
import NodeServer
import Testing

/// Nodes that are asked through a SOCKS5 proxy, such as Tor's.
struct ProxyCommandTests {
    private static let canary = "zeppelin-Marmalade_53"
    private let scene: Scene

    init() throws {
        scene = try Scene(empty: true)
        try scene.done("init")
    }

    @Test(arguments: ["node.example:9998", "abcdefghijklmnop.onion", "localhost:7"])
    func `the name of a node goes to the proxy as it is, and nowhere else`(host: String) throws {
        let server = try NodeServer(.dash)
        server.mine(3)
        let proxy = try SOCKSProxy(to: server)
        // No such name exists: whoever looked it up would not get to the node.
        let set = try scene.done(
            "node", "set", "dash", "regtest", "http://\(host)/", "--proxy", proxy.url, "--json")
        let node = try set.object
        #expect(node["ok"]?.boolValue == true, "\(set.output)")
        #expect(node["proxy"]?.stringValue == proxy.url)
        try scene.done("node", "check")
        let parts = host.split(separator: ":")
        let port = parts.count == 2 ? parts[1] : "80"
        #expect(Set(proxy.requests) == ["name \(parts[0]) \(port)"])
        let settings = try #require(
            FileManager.default.contents(atPath: "\(scene.home)/settings.json"))
        let kept = try JSON.parse(Array(settings))["nodes"]?.arrayValue?.first
        #expect(kept?["proxy"]?.stringValue == proxy.url)
    }

    @Test func `ICON's debug address is asked through the proxy too, and an address stays one`()
        throws
    {
        let server = try NodeServer(.icon)
        server.mine()
        let proxy = try SOCKSProxy(to: server)
        try scene.done(
            "node", "set", "icon", "regtest", "http://192.0.2.7:9080/api/v3", "--debug-url",
            "http://192.0.2.7:9080/api/v3d", "--proxy", proxy.url)
        #expect(Set(proxy.requests) == ["address 192.0.2.7 9080"])
    }

    @Test func `the environment's settings do not lead past the proxy`() throws {
        let server = try NodeServer(.dash)
        server.mine(3)
        let proxy = try SOCKSProxy(to: server)
        let answer = try Programs.run(
            [
                Programs.daybook, "node", "set", "dash", "regtest", "http://node.example",
                "--proxy", proxy.url, "--json",
            ],
            environment: [
                "DAYBOOK_HOME": scene.home, "no_proxy": "*", "NO_PROXY": "node.example",
                "all_proxy": "socks5h://127.0.0.1:1",
            ])
        #expect(try answer.object["ok"]?.boolValue == true, "\(answer.output)")
        #expect(!proxy.requests.isEmpty)
    }

    @Test func `a proxy's password is in the file of logins and nowhere else`() throws {
        let server = try NodeServer(.dash)
        server.mine(3)
        let proxy = try SOCKSProxy(to: server, login: "carol:" + Self.canary)
        let login = try scene.write("login", "carol:" + Self.canary + "\n")
        let set = try scene.done(
            "node", "set", "dash", "regtest", "http://node.example", "--proxy", proxy.url,
            "--proxy-password-file", login, "--json")
        #expect(try set.object["ok"]?.boolValue == true, "\(set.output)")
        let wrong = try scene.done(
            "node", "set", "dash", "regtest", "http://node.example", "--proxy", proxy.url, "--json")
        #expect(try wrong.object["code"]?.stringValue == "nodeProxy")
        #expect(try wrong.object["problem"]?.stringValue?.contains("password") == true)
        let inURL = try scene.daybook(
            "node", "set", "dash", "regtest", "http://node.example", "--proxy",
            "socks5h://carol:\(Self.canary)@127.0.0.1:9050")
        inURL.expectFailure(2, "invalidProxy", of: "node set")
        #expect(inURL.error.contains("--proxy-password-file"))
        try scene.done(
            "node", "set", "dash", "regtest", "http://node.example", "--proxy", proxy.url,
            "--proxy-password-file", login)
        var found: [String] = []
        let files = try #require(FileManager.default.enumerator(atPath: scene.home))
        for case let name as String in files {
            let content = FileManager.default.contents(atPath: "\(scene.home)/\(name)") ?? Data()
            if content.range(of: Data(Self.canary.utf8)) != nil { found.append(name) }
        }
        #expect(found == ["credentials.json"])
        for answer in [set, wrong, inURL] {
            #expect(!answer.output.contains(Self.canary) && !answer.error.contains(Self.canary))
        }
    }

    @Test(arguments: [
        ("socks5://127.0.0.1:9050", "look up"), ("socks4a://127.0.0.1:9050", "socks5h://"),
        ("http://127.0.0.1:8118", "socks5h://"), ("127.0.0.1:9050", "socks5h://"),
        ("socks5h://", "host"), ("socks5h://127.0.0.1:0", "port"),
        ("socks5h://127.0.0.1:9050/x", "ends with its port"),
        ("socks5h://a b:1", "socks5h://"),
    ])
    func `a text that is no proxy is refused by name`(url: String, reason: String) throws {
        let answer = try scene.daybook(
            "node", "set", "dash", "regtest", "http://node.example", "--proxy", url)
        answer.expectFailure(2, "invalidProxy", of: "node set")
        #expect(answer.error.contains(reason), "\(answer.error)")
        #expect(try scene.done("node", "list", "--json").output.isEmpty)
    }

    @Test func `an onion service is not asked for without a proxy, which would tell of it`()
        throws
    {
        let answer = try scene.daybook(
            "node", "set", "dash", "regtest", "http://abcdefghijklmnop.onion")
        answer.expectFailure(2, "invalidNode", of: "node set")
        #expect(answer.error.contains("--proxy"))
    }

    @Test(arguments: [
        (2, "does not allow"), (4, "can't connect"), (5, "can't connect"), (1, "can't connect"),
    ])
    func `the proxy's refusals have names`(code: Int, reason: String) throws {
        let proxy = try SOCKSProxy(to: NodeServer(.dash), answering: code)
        let set = try scene.done(
            "node", "set", "dash", "regtest", "http://node.example", "--proxy", proxy.url, "--json")
        #expect(try set.object["code"]?.stringValue == "nodeProxy", "\(set.output)")
        #expect(try set.object["problem"]?.stringValue?.contains(reason) == true, "\(set.output)")
        #expect(try scene.daybook("node", "check").status == 5)
    }

    @Test func `a proxy that is not there, or is none, has a name`() throws {
        let other = try SOCKSProxy(to: NodeServer(.dash), answering: -1)
        for (url, reason) in [
            ("socks5h://127.0.0.1:1", "nothing listens at the proxy"),
            (other.url, "no SOCKS5 proxy"),
        ] {
            let set = try scene.done(
                "node", "set", "dash", "regtest", "http://node.example", "--proxy", url, "--json")
            #expect(try set.object["code"]?.stringValue == "nodeProxy", "\(set.output)")
            #expect(
                try set.object["problem"]?.stringValue?.contains(reason) == true, "\(set.output)")
        }
    }

    @Test func `a connection that others can read is named, behind a proxy too`() throws {
        func error(_ node: String, _ proxy: String) throws -> String {
            try scene.done("node", "set", "dash", "regtest", node, "--proxy", proxy).error
        }
        let near = "socks5h://127.0.0.1:1"
        #expect(try error("http://node.example", near).contains("not encrypted"))
        #expect(try error("http://127.0.0.1:9998", "socks5h://0.0.0.0:1").contains("not encrypted"))
        // Tor encrypts on all of the way to an onion service.
        #expect(try error("http://abcdefghijklmnop.onion", near).isEmpty)
        #expect(try error("https://node.example", near).isEmpty)
    }
}
