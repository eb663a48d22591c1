import DaybookDomain
import DaybookLinks
import Testing

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
}
