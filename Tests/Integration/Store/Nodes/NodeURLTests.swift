import DaybookChains
import Testing

@testable import Daybook

struct NodeURLTests {
    @Test(arguments: [
        ("http://127.0.0.1:9998", "http://127.0.0.1:9998/"),
        ("HTTP://LocalHost:9998/", "http://localhost:9998/"),
        ("https://node.example/wallet/%20a;b=1", "https://node.example/wallet/%20a;b=1"),
        ("http://[::1]:9937", "http://[::1]:9937/"),
        ("http://xn--nxasmq6b.example", "http://xn--nxasmq6b.example/"),
    ])
    func `an address has one spelling`(text: String, spelled: String) throws {
        let node = try Node(
            ChainID(named: .dash, .mainnet), url: text, debugURL: nil, certificates: nil)
        #expect(node.url == spelled)
    }

    @Test func `ICON's paths are added where none is given`() throws {
        let node = try Node(
            ChainID(named: .icon, .mainnet), url: "https://icon.example",
            debugURL: "https://icon.example:9443/", certificates: nil)
        #expect(node.url == "https://icon.example/api/v3")
        #expect(node.debugURL == "https://icon.example:9443/api/v3d")
        let other = try Node(
            ChainID(named: .icon, .regtest), url: "http://127.0.0.1:9080/api/v3/icon_dex",
            debugURL: nil, certificates: nil)
        #expect(other.url == "http://127.0.0.1:9080/api/v3/icon_dex")
        #expect(other.debugURL == nil)
    }

    @Test(arguments: [
        "", "127.0.0.1:9998", "ftp://node.example", "file:///etc/passwd", "http:/node.example",
        "http://", "http:///path", "http://:9998", "http://node.example:", "http://node.example:0",
        "http://node.example:65536", "http://node.example:99999999999999999999",
        "http://node.example:+80", "http://node.example:80a", "http://no de.example",
        "http://node.example/a b", "http://node.example/\u{7f}", "http://node.example/\n",
        "http://node.example\r\nHost: other", "http://node.example/?a=1", "http://node.example/#a",
        "http://node.example/%zz", "http://node.example/%2", "http://node.example\\@other.example",
        "http://nöde.example", "http://[::1", "http://[node]", "http://[]:80", "http://-a.example",
        "http://node.example/" + String(repeating: "a", count: 2048),
        "http://user:canary@node.example", "http://canary@node.example", "http://@node.example",
        "https://user:can/ary@node.example", "http://user:can?ary@node.example",
    ])
    func `a text that is no plain address is refused, and not repeated`(text: String) {
        do {
            _ = try NodeURL(parsing: text)
            Issue.record("taken")
        } catch {
            #expect(error.code == "invalidNodeURL")
            #expect(error.kind == .usage)
            #expect(!error.message.contains("canary"))
            #expect(!error.message.contains("node.example"))
        }
    }

    @Test(arguments: [
        ("http://127.0.0.1:9998", false), ("http://localhost", false), ("http://[::1]:1", false),
        ("http://a.localhost", false), ("https://node.example", false),
        ("http://node.example", true), ("http://127.0.0.1.example", true),
        ("http://128.0.0.1", true), ("http://10.0.0.1:9998", true),
    ])
    func `an address that others on the way can read is told`(
        text: String, isReadable: Bool
    ) throws {
        let node = try Node(
            ChainID(named: .axe, .mainnet), url: text, debugURL: nil, certificates: nil)
        #expect(node.isReadableByOthers == isReadable)
    }
}
