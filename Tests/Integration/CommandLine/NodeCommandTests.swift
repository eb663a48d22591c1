import DaybookChains
import DaybookEncoding
import Foundation
import NodeServer
import Testing

/// The answers of `node check` about nodes that serve, and about those that do not.
struct NodeCommandTests {
    private static let canary = "zeppelin-Marmalade_53"
    private let scene: Scene

    init() throws {
        scene = try Scene(empty: true)
        try scene.done("init")
    }

    /// A node that does something wrong, and our name for it.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let code: String
        let make: @Sendable (NodeServer) -> Void

        var testDescription: String { name }

        init(_ name: String, _ code: String, _ make: @escaping @Sendable (NodeServer) -> Void) {
            self.name = name
            self.code = code
            self.make = make
        }

        init(_ name: String, _ code: String, _ misbehaviour: Misbehaviour) {
            self.init(name, code) { $0.misbehave(misbehaviour) }
        }
    }

    private static let hostile = "EVIL\u{1b}[31m\n\u{202e}" + String(repeating: "long", count: 500)

    /// Faults that any node may have.
    static let anywhere = [
        Case("nothing listens", "nodeUnreachable") { $0.stop() },
        Case("401", "nodeWrongPassword", .wrongPassword),
        Case("403", "nodeWrongPassword", .forbidden),
        Case("404", "nodeWrongPath", .notFound),
        Case("redirect", "nodeRedirect", .redirect(to: "http://127.0.0.1:1/EVIL")),
        Case("503", "nodeBusy", .busy),
        Case("closed connections", "nodeNoAnswer", .closes),
        Case("half an answer", "nodeNoAnswer", .half),
        Case("a page for people", "nodeWrongPath", .html()),
        Case("an endless answer", "nodeAnswerTooLong", .long(bytes: nil)),
        Case("deep JSON", "nodeAnswerInvalid", .deep()),
        Case("another id", "nodeAnswerInvalid", .otherID),
        Case("no JSON-RPC", "nodeAnswerInvalid", .text(#"{"EVIL":1}"#)),
        Case("a call that is unknown", "nodeUnknownCall", .error(code: -32601, message: hostile)),
        Case("another error", "nodeRefused", .error(code: -1, message: hostile)),
    ]

    static let core = [
        Case("starting", "nodeWarmingUp", .warmUp),
        Case("another network", "nodeWrongChain") {
            $0.settings.genesis = String(repeating: "ab", count: 32)
        },
        Case("no address index", "nodeNoAddressIndex") { $0.settings.hasAddressIndex = false },
        Case("no transaction index", "nodeNoTransactionIndex") {
            $0.settings.hasTransactionIndex = false
        },
    ]

    static let goloop = [
        Case("another network", "nodeWrongChain") { $0.settings.nid = 1 },
        Case("another time", "clockOff") {
            $0.settings.time = 4_000_000_000_000_000
            $0.mine()
        },
    ]

    @Test(arguments: anywhere + core)
    func `faults of a Dash node have names and advice`(wrong: Case) throws {
        try expect(wrong, of: .dash)
    }

    @Test(arguments: anywhere + goloop)
    func `faults of an ICON node have names and advice`(wrong: Case) throws {
        try expect(wrong, of: .icon)
    }

    private func expect(_ wrong: Case, of chain: Chain) throws {
        let server = try NodeServer(chain, user: "bob", password: Self.canary)
        server.mine()
        let secret = try scene.write("secret", Self.canary)
        try scene.done(
            "node", "set", chain.rawValue, "regtest", server.url, "--user", "bob",
            "--password-file", secret)
        #expect(try scene.daybook("node", "check").status == 0)
        wrong.make(server)
        let check = try scene.daybook("node", "check", "--json")
        #expect(check.status == 5)
        let node = try check.object
        #expect(node["code"]?.stringValue == wrong.code, "\(check.output)")
        #expect(node["ok"]?.boolValue == false && node["tip"] == nil)
        let problem = try #require(node["problem"]?.stringValue)
        #expect(problem.contains("; ") && problem.hasSuffix("(\(wrong.code))"))
        let text = try scene.daybook("node", "check")
        for output in [check.output, text.output, check.error, text.error] {
            #expect(!output.contains(Self.canary) && !output.contains("It works"))
            #expect(!output.contains("\u{1b}") && !output.contains("\u{202e}"))
            #expect(output.utf8.count < 700)
        }
        #expect(text.lines.count == 2, "\(text.output)")
    }

    @Test(arguments: [Chain.dash, .axe, .icon])
    func `a node that serves is ok, with its tip`(chain: Chain) throws {
        let server = try NodeServer(chain, user: "bob", password: Self.canary)
        server.mine(3)
        let secret = try scene.write("cookie", "bob:\(Self.canary)\n")
        let set = try scene.done(
            "node", "set", chain.rawValue, "regtest", server.url, "--password-file", secret,
            "--json")
        let node = try set.object
        #expect(node["ok"]?.boolValue == true, "\(set.output)")
        #expect((node["tip"]?.intValue ?? 0) >= 3)
        #expect(node["problem"] == nil)
        try scene.done("node", "check", chain.rawValue, "regtest")
        #expect(try scene.daybook("node", "check").output.contains("ok, at block"))
    }

    @Test func `a login that was set for one node is never sent to the next`() throws {
        let (first, second) = (try NodeServer(.dash), try NodeServer(.dash))
        let secret = try scene.write("secret", Self.canary)
        try scene.done(
            "node", "set", "dash", "regtest", first.url, "--user", "bob", "--password-file", secret)
        #expect(first.requests.allSatisfy { $0.headers["authorization"] != nil })
        try scene.done("node", "set", "dash", "regtest", second.url)
        #expect(!second.requests.isEmpty)
        #expect(second.requests.allSatisfy { $0.headers["authorization"] == nil })
    }

    @Test func `a certificate is trusted only with its issuer`() throws {
        let server = try NodeServer(.icon)
        server.mine()
        let front = try TLSFront(server)
        let untrusted = try scene.done("node", "set", "icon", "regtest", front.url, "--json")
        #expect(try untrusted.object["code"]?.stringValue == "nodeCertificate")
        let trusted = try scene.done(
            "node", "set", "icon", "regtest", front.url, "--ca-file", front.caFile, "--json")
        #expect(try trusted.object["ok"]?.boolValue == true, "\(trusted.output)")
        #expect(trusted.error.isEmpty)
    }
}
