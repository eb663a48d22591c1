import DaybookEncoding
import Foundation
import Testing
import TestSupport

/// Requests of other pages, programs and users, over raw sockets.
struct PageSecurityTests {
    private static let info = #"{"jsonrpc":"2.0","id":1,"method":"info"}"#
    private static let paths = ["/", "/page.js", "/page.css", "/session", "/rpc", "/changes", "/qr"]

    @Test(.enabled(if: ProcessMemory.isReadable, "only root may read a server's memory"))
    func `no passphrase is left of eighty calls`() async throws {
        try await PageScene.use { scene in
            let headers = scene.own + [try scene.session()]
            // Only the first calls take half a second for key stretching.
            for number in 0..<80 {
                let wallet = number < 4 ? "my-dash" : "nobody"
                let body = #"{"jsonrpc":"2.0","id":1,"method":"unlock","params":{"wallet":"#
                    + #""\#(wallet)","passphrase":"\#(PageScene.passphrase)","#
                    + #""seconds":60,"limit":"1"}}"#
                let answer = try scene.raw("POST", "/rpc", headers, body: body)
                #expect(answer.body.contains(number < 4 ? "until" : "unknownWallet"))
            }
            for part in [PageScene.passphrase.prefix(14), PageScene.passphrase.suffix(14)] {
                #expect(
                    try ProcessMemory.count(of: Array(part.utf8), in: scene.server.id) == 0)
            }
            // The control: the page's own text is in memory.
            #expect(
                try ProcessMemory.count(of: Array("my-dash".utf8), in: scene.server.id) > 0)
        }
    }

    @Test func `a session calls, and a used or wrong token opens none`() async throws {
        try await PageScene.use { scene in
            let body = #"{"token":"\#(scene.token)"}"#
            let wrong = body.replacing(scene.token.prefix(8), with: "00000000")
            #expect(try scene.raw("POST", "/session", scene.own, body: wrong).status == 403)
            let opened = try scene.raw("POST", "/session", scene.own, body: body)
            #expect(opened.status == 200)
            #expect(opened.header("Set-Cookie") == nil)
            let key = try #require(try JSON.parse(Array(opened.body.utf8))["key"]?.stringValue)
            #expect(key.utf8.count == 64 && key != scene.token)
            let headers = scene.own + ["Authorization: Bearer \(key)"]
            let answer = try scene.raw("POST", "/rpc", headers, body: Self.info)
            #expect(answer.status == 200)
            #expect(answer.body.contains(#""result""#))
            let again = try scene.raw("POST", "/session", scene.own, body: body)
            #expect(again.status == 403)
            #expect(again.body.contains("tokenRefused"))
            #expect(!again.body.contains(scene.token))
        }
    }

    @Test func `a foreign Host, two of them or none is refused at every path`() async throws {
        try await PageScene.use { scene in
            for path in Self.paths {
                for host in ["evil.example", "localhost:\(scene.port)", "127.0.0.1"] {
                    #expect(try scene.raw("GET", path, host: host).status == 403, "\(path) \(host)")
                }
                let two = try scene.raw("GET", path, ["Host: \(scene.host)"])
                #expect((400..<500).contains(two.status), "\(path)")
                let client = try RawClient(scene.port)
                client.send("GET \(path) HTTP/1.0\r\n\r\n")
                #expect((400..<500).contains(RawAnswer(client.read()).status), "\(path)")
            }
            #expect(try scene.raw("GET", "http://evil.example/").status == 404)
        }
    }

    @Test func `a change needs our Origin, our type and the key`() async throws {
        try await PageScene.use { scene in
            let session = try scene.session()
            let json = "Content-Type: application/json"
            let foreign = [
                "Origin: http://evil.example", "Origin: null", "Origin: http://127.0.0.1",
            ]
            func status(_ headers: [String]) throws -> Int {
                try scene.raw("POST", "/rpc", headers, body: Self.info).status
            }
            #expect(try status([session, json]) == 403)
            for origin in foreign { #expect(try status([session, json, origin]) == 403) }
            #expect(try status([session] + scene.own + [foreign[0]]) == 403, "two of them")
            #expect(try status([session] + scene.own + ["Sec-Fetch-Site: same-site"]) == 403)
            #expect(try status(scene.own) == 401)
            #expect(try status(scene.own + [session.dropLast() + "x"]) == 401)
            let form = "Content-Type: application/x-www-form-urlencoded"
            for type in [form, "Content-Type: text/plain", "X: y"] {
                #expect(try status([session, "Origin: \(scene.origin)", type]) == 415)
            }
            #expect(try status([session] + scene.own) == 200)
        }
    }

    @Test func `an image or a frame of any path changes and shows nothing`() async throws {
        try await PageScene.use { scene in
            let events = try await scene.store.info().events
            let session = try scene.session()
            for path in Self.paths {
                let image = try scene.raw(
                    "GET", path, [session, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: image"])
                let isStatic = ["/", "/page.js", "/page.css"].contains(path)
                #expect(image.status == (isStatic ? 200 : path == "/changes" || path == "/qr"
                    ? 403 : 405), "\(path)")
                #expect(image.header("X-Frame-Options") == "DENY")
                #expect(image.header("Cross-Origin-Resource-Policy") == "same-origin")
                #expect(image.header("Access-Control-Allow-Origin") == nil)
                let policy = try #require(image.header("Content-Security-Policy"))
                #expect(policy.contains("frame-ancestors 'none'"))
            }
            #expect(try await scene.store.info().events == events)
        }
    }

    @Test func `a body that is too long, or of unknown length, is refused`() async throws {
        try await PageScene.use { scene in
            let headers = scene.own + [try scene.session()]
            let long = try scene.raw("POST", "/rpc", headers + ["Content-Length: 1048577"])
            #expect(long.status == 413)
            let chunked = try scene.raw("POST", "/rpc", headers + ["Transfer-Encoding: chunked"])
            #expect(chunked.status == 411)
        }
    }

    @Test func `a hundred silent and slow connections hold nobody up`() async throws {
        try await PageScene.use { scene in
            let headers = scene.own + [try scene.session()]
            var clients: [RawClient] = []
            for number in 0..<100 {
                let client = try RawClient(scene.port)
                if number % 2 == 1 { client.send("POST /rpc HTTP/1.1\r\nHo") }
                clients.append(client)
            }
            for _ in 0..<10 {
                #expect(try scene.raw("POST", "/rpc", headers, body: Self.info).status == 200)
            }
            #expect(clients.count == 100)
        }
    }

    @Test func `a thousand connections with half a request hold no owner of the key up`()
        async throws
    {
        try await PageScene.use { scene in
            let headers = scene.own + [try scene.session()]
            // A connection of the owner's that is open already, and one of a stranger's.
            let reader = try RawClient(scene.port)
            reader.send("GET /changes HTTP/1.1\r\nHost: \(scene.host)\r\n\(headers[2])\r\n\r\n")
            #expect(reader.read(until: "id: ").contains("text/event-stream"))
            let oldest = try RawClient(scene.port)
            oldest.send("POST /rpc HTTP/1.1\r\nHo")
            var flood: [RawClient] = []
            for _ in 0..<1000 {
                let client = try RawClient(scene.port)
                client.send("POST /rpc HTTP/1.1\r\nHo")
                flood.append(client)
            }
            let begin = ContinuousClock.now
            for _ in 0..<10 {
                #expect(try scene.raw("POST", "/rpc", headers, body: Self.info).status == 200)
            }
            // It takes milliseconds; the flood's connections time out after 20 seconds only.
            #expect(begin.duration(to: .now) < .seconds(10))
            #expect(oldest.read().isEmpty, "the oldest silent connection ends")
            let open = flood.suffix(100).count { $0.isOpen }
            #expect(open == 100, "the newest do not")
            let request = try await scene.receive()
            #expect(reader.read(until: #""request":\#(request.id)"#).contains("event: changed"))
        }
    }

    @Test func `changes are sent as they happen, and again after a position`() async throws {
        try await PageScene.use { scene in
            let session = try scene.session()
            let client = try RawClient(scene.port)
            client.send("GET /changes HTTP/1.1\r\nHost: \(scene.host)\r\n\(session)\r\n\r\n")
            let first = client.read(until: "id: ")
            #expect(first.contains("text/event-stream"))
            let request = try await scene.receive()
            let named = #""what":"request","request":\#(request.id)"#
            #expect(client.read(until: named).contains("event: changed"))
            let late = try RawClient(scene.port)
            late.send("GET /changes?after=-1 HTTP/1.1\r\nHost: \(scene.host)\r\n\(session)\r\n\r\n")
            #expect(late.read(until: named).contains(#""what":"wallet""#))
            let others = ["99999", "9007199254740991", "9007199254740992", "18446744073709551615"]
            for after in others + ["18446744073709551616", "-2", "+1", "1.5", "1e3", "x", ""] {
                let path = "/changes?after=\(after)"
                #expect(try scene.raw("GET", path, [session]).status == 400, "\(after)")
                let headers = [session, "Last-Event-ID: \(after)"]
                #expect(try scene.raw("GET", "/changes", headers).status == 400, "\(after)")
            }
        }
    }

    @Test func `a QR code is made of a wallet's own address alone`() async throws {
        try await PageScene.use { scene in
            let session = try scene.session()
            let address = try await scene.store.address(of: scene.wallet.id)
            let path = "/qr?wallet=\(scene.wallet.id)&address="
            let own = try scene.raw("GET", path + address, [session])
            #expect(own.status == 200)
            #expect(own.header("Content-Type") == "image/svg+xml")
            #expect(try scene.raw("GET", path + PageScene.payee, [session]).status == 404)
            for wallet in ["18446744073709551615", "9007199254740992", "+1", "-1", "x"] {
                let other = "/qr?wallet=\(wallet)&address=\(address)"
                #expect(try scene.raw("GET", other, [session]).status == 404, "\(wallet)")
            }
            #expect(try scene.raw("GET", path + address).status == 401)
        }
    }
}
