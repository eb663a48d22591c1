@testable import Daybook
import DaybookChains
import DaybookEncoding
import DaybookSystem
import Glibc

extension Harness {
    /// Addresses of nodes, logins, and the two files that keep them: the first byte says which.
    static let nodeSettings = Harness(
        "node-settings", longest: 1024,
        words: [
            "socks5h://", "socks5://", ".onion",
            "http://", "https://", "[::1]", "localhost", ":9998", "/api/v3", "@", "%2F",
            "\"nodes\":[", "\"chain\":\"dash\"", "\"network\":\"regtest\"", "\"url\":\"http://",
            "\"debugURL\":\"", "\"certificates\":\"", "\"user\":\"", "\"password\":\"",
            "\"expirySeconds\":", "\"freeUnlockFailures\":",
        ]
    ) { bytes in
        guard let first = bytes.first else { return }
        let rest = Bytes(bytes.dropFirst())
        switch first % 4 {
        case 0:
            try checkURL(String(decoding: rest, as: UTF8.self))
            try checkProxy(String(decoding: rest, as: UTF8.self))
        case 1:
            guard let login = try? NodeLogin(cookie: rest) else { return }
            let again = try NodeLogin(user: login.user, password: login.password)
            try law("a login is its two parts", again == login)
            let whole = Bytes(login.user.utf8) + [0x3a] + login.password
            try law("the parts are the whole", whole == rest)
        case 2:
            let folder = try settingsFolder.get()
            try write(rest, to: folder.settings)
            let nodes: [Node]
            do {
                nodes = try NodeSettings(folder: folder).nodes()
                _ = try folder.readSettings()
            } catch is DaybookError {
                return
            }
            for node in nodes {
                try checkURL(node.url, isKept: true)
                let proxy = try node.proxy.map { try NodeProxy(parsing: $0).text }
                try law("a proxy that is kept has one spelling", proxy == node.proxy)
                let isOnion = try NodeURL(parsing: node.url).isOnion
                try law("an onion service is behind a proxy", !isOnion || proxy != nil)
            }
        default:
            let folder = try settingsFolder.get()
            try write(rest, to: folder.credentials)
            let node = try Node(
                ChainID(.dash, .regtest), url: "http://localhost:1", debugURL: nil,
                certificates: nil)
            do {
                _ = try NodeCredentials(path: folder.credentials).access(to: node)
            } catch is DaybookError {}
        }
    }

    /// Parses an address; of a node that is kept it must be the one spelling.
    private static func checkURL(_ text: String, isKept: Bool = false) throws {
        let url: NodeURL
        do throws(DaybookError) {
            url = try NodeURL(parsing: text)
        } catch {
            try law("a node that is kept has an address", !isKept)
            let isQuoted = text.utf8.count >= 8 && error.message.contains(text)
            try law("an error repeats nothing of an address", !isQuoted)
            return
        }
        try law("an address is read again as it was", try NodeURL(parsing: url.text) == url)
        try law("what is kept has one spelling", !isKept || Text.equal(url.text, text))
    }

    private static func checkProxy(_ text: String) throws {
        let proxy: NodeProxy
        do throws(DaybookError) {
            proxy = try NodeProxy(parsing: text)
        } catch {
            let isQuoted = text.utf8.count >= 12 && error.message.contains(text)
            try law("an error repeats nothing of a proxy's address", !isQuoted)
            return
        }
        try law("a proxy is read again as it was", try NodeProxy(parsing: proxy.text) == proxy)
        try law("a proxy names no user", !proxy.text.contains("@"))
    }

    private static let settingsFolder = Result {
        StoreFolder(try Files.createTemporaryDirectory())
    }

    private static func write(_ bytes: Bytes, to path: String) throws {
        guard let stream = fopen(path, "w") else {
            throw BrokenLaw(description: "the folder can be written")
        }
        defer { fclose(stream) }
        guard fwrite(bytes, 1, bytes.count, stream) == bytes.count, chmod(path, 0o600) == 0 else {
            throw BrokenLaw(description: "the folder has room")
        }
    }
}
