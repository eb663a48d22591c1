import DaybookDomain
import DaybookEncoding
import Testing

@testable import DaybookLinks

struct CallerTests {
    @Test(arguments: ["myapp", "my+app", "com.example.app", "a1", "upholdapp", "MyApp"])
    func `a scheme of an app is a sender and is answered as it was written`(_ text: String) {
        #expect(Caller(sender: text)?.scheme == text.lowercased())
        #expect(Caller(sender: text)?.prefix == text + "://")
    }

    @Test(arguments: [
        "", "a", "1app", "+app", "my app", "my_app", "my:app", "my/app", "app\u{0}", "äpp",
        "K\u{301}k",
        "http", "HTTPS", "javascript", "data", "file", "tel", "sms", "mailto", "intent", "about",
        "dash", "dashwallet", "Axe", "axewallet", "iconex", "pay", "bitcoin", "ethereum", "wc",
        "ms-word", "itms-services", "x-apple.systempreferences", "com.apple.tv",
        "microsoft-edge", "brave", "firefox-focus", "touch-https", "jnlp", "search", "callto",
    ])
    func `a text that is no app's scheme is no caller`(_ text: String) {
        #expect(Caller(sender: text) == nil)
        #expect(Caller(returnAddress: text) == nil)
        #expect(Caller(returnAddress: text + "://") == nil)
    }

    @Test func `a scheme has at most 64 characters`() {
        #expect(Caller(sender: String(repeating: "a", count: 64)) != nil)
        #expect(Caller(sender: String(repeating: "a", count: 65)) == nil)
    }

    @Test(arguments: [
        ("my-app-scheme://", "my-app-scheme://"), ("my-app-scheme:", "my-app-scheme:"),
        ("my-app-scheme", "my-app-scheme://"), ("My-App://", "My-App://"),
        ("my-app://host/path?x=1", "my-app://host/path"), ("my-app://host", "my-app://host"),
        ("my-app:?x", "my-app:"),
    ])
    func `a return address keeps its form and loses its query`(_ text: String, _ prefix: String) {
        #expect(Caller(returnAddress: text)?.prefix == prefix)
    }

    @Test(arguments: [
        "my-app://user@host", "my-app://host:80", "my-app://host#f", "my-app://h%41", "my-app:path",
        "my-app:/path", "my-app://ho st", "my-app://hóst", "my-app://h?x#f", "my-app://h?\u{202e}",
        "://", ":", "my-app://h&data=x",
    ])
    func `a return address with more in it is refused`(_ text: String) {
        #expect(Caller(returnAddress: text) == nil)
    }

    // MARK: - The schemes that are never opened

    private static let refused = RefusedSchemes.groups.flatMap(\.names)

    @Test(arguments: refused)
    func `a scheme of the list is no caller, in whatever case`(_ scheme: String) {
        for text in [scheme, scheme.uppercased()] {
            #expect(Caller(sender: text) == nil)
            #expect(Caller(returnAddress: text + "://host/path") == nil)
            #expect(Caller(callback: text + "://host?data=x") == nil)
        }
    }

    @Test func `the list has every scheme once, in lower case, with its reason`() {
        #expect(Set(Self.refused).count == Self.refused.count)
        for group in RefusedSchemes.groups {
            #expect(!group.reason.isEmpty)
            for name in group.names + group.beginnings {
                #expect(SchemeGrammar.lowercased(name.utf8.span) == name, "\(name)")
            }
        }
    }

    @Test(arguments: [
        ("vscode", "an editor"), ("powershell", "a shell"), ("mailto", "a mail"),
        ("lightning", "another wallet"), ("dashwallet", "an answer"), ("magnet", "a download"),
        ("ms-officecmd", "the system"), ("vscode-insiders", "an editor"), ("smb", "a file"),
        ("git+ssh", "an editor"), ("shop+http", "a browser"), ("javascript", "a browser"),
    ])
    func `the list says why`(_ scheme: String, _ beginning: String) {
        #expect(RefusedSchemes.reason(against: scheme)?.hasPrefix(beginning) == true)
    }

    @Test(arguments: [
        "shop", "myapp", "my+app", "com.example.shop", "gitter", "visual", "mailbox", "https2",
        "shell-station", "msg", "editors", "coffee-shop", "ab", "upholdapp",
    ])
    func `a name that only resembles one of the list is an app's`(_ scheme: String) {
        #expect(RefusedSchemes.reason(against: scheme) == nil)
    }

    // MARK: - Callbacks that were recorded

    @Test(arguments: [
        "shop://callback=payack&address=XiU&txid=ab", "my-app-scheme://?data=eyJ9%3D%3D",
        "my-app:?data=a+b/c", "My-App://host/path?data=x", "app:onchain=0100", "app:?onchain=ff",
        "app:body?pop=onchain=00", "app://host/path?id=7&onchain=00", "app:calc.exe?x=onchain=00",
    ])
    func `a callback that Daybook words may be opened`(_ url: String) {
        #expect(Caller(callback: url)?.scheme == url.prefix { $0 != ":" }.lowercased())
    }

    @Test(arguments: [
        "", "shop", "://x", "javascript:alert(1)", "JavaScript://%0Aalert(1)", "shop:calc.exe",
        "shop:/etc/passwd", "file:///etc/passwd", "shop://a b", "shop://a\u{1b}[2J", "shop://a\n",
        "shop://a#b", "shop://a\"b", "shop://a\\b", "shop://h\u{f3}st", "shop://\u{202e}x",
        "shop:onchain=", "shop:onchain=0", "shop:onchain=0G", "shop:onchain=FF", "shop:chain=00",
        "shop:onchain=00&x", "shop:onchain=00#", "shop:/etc/onchain=00",
        "shop:a b?onchain=00", "shop:a?$(x)onchain=00",
        "shop:a?%0Aonchain=00", "shop:a?%zonchain=00", "https:onchain=00", "mailto:onchain=00",
        "shop:" + String(repeating: "a", count: 513) + "onchain=00",
        "sh op://x", "s://x", "vscode://file/etc/passwd", "git+ssh://host/x",
        "shop://" + String(repeating: "a", count: 65_536),
    ])
    func `any other URL may not`(_ url: String) {
        #expect(Caller(callback: url) == nil)
    }
}
