import Testing

@testable import DaybookNodes

struct HTTPFailureTests {
    @Test(arguments: [
        "", "HT", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n123",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n123\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n123\r\n0\r\nA: b\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n123\r\n",
    ])
    func `an answer that breaks off is none, and is not asked for again`(text: String) async {
        let server = ScriptedServer([.take, .send(text)])
        await #expect(throws: HTTPFailure.cutShort) { try await post(to: server) }
        #expect(server.record.connections == 1)
    }

    @Test func `an answer that is reset is none`() async {
        let server = ScriptedServer([
            .take, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123"), .reset,
        ])
        await #expect(throws: HTTPFailure.cutShort) { try await post(to: server) }
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n", "220 mail ESMTP\r\n", "\0\u{1}\u{2}", "{\"result\":1}\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA\0: b\r\n\r\n",
    ])
    func `an answer that is no HTTP is named so`(text: String) async {
        let server = ScriptedServer([.take, .send(text)])
        await #expect(throws: HTTPFailure.notHTTP) { try await post(to: server) }
    }

    @Test func `nobody listens`() async {
        let target = HTTPTarget(url: "http://127.0.0.1:\(ScriptedServer.deafPort())/")
        await #expect(throws: HTTPFailure.connectionRefused) {
            try await HTTPClient(target).post([])
        }
    }

    @Test func `a name that no server can have is unknown`() async {
        // Longer than the names of the domain system may be, so that nobody is asked for it.
        let target = HTTPTarget(url: "http://\(String(repeating: "a", count: 64))/")
        await #expect(throws: HTTPFailure.unknownHost) { try await HTTPClient(target).post([]) }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n123"])
    func `a server that falls silent ends with the whole time`(text: String) async {
        let server = ScriptedServer([.take, .send(text), .hold])
        await #expect(throws: HTTPFailure.timedOut) {
            try await post(to: server, HTTPLimits(totalMilliseconds: 50))
        }
    }

    @Test func `an answer may be as long as the limit and no longer`() async throws {
        for isChunked in [false, true] {
            for (length, isTaken) in [(1_000, true), (1_001, false)] {
                let server = ScriptedServer([
                    .take, Self.answer(of: length, isChunked: isChunked), .hold,
                ])
                let limits = HTTPLimits(answerBytes: 1_000)
                if isTaken {
                    #expect(try await post(to: server, limits).body.count == length)
                } else {
                    await #expect(throws: HTTPFailure.tooLong(limit: 1_000)) {
                        try await post(to: server, limits)
                    }
                }
            }
        }
    }

    @Test(arguments: ["104857600", "99999999999999999999999999"])
    func `a length that is announced beyond the limit is not waited for`(length: String) async {
        let server = ScriptedServer([
            .take, .send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n"), .hold,
        ])
        await #expect(throws: HTTPFailure.tooLong(limit: 32 << 20)) { try await post(to: server) }
    }

    @Test func `of an endless answer no more is taken than the limit`() async {
        let server = ScriptedServer([
            .take, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
            .sendChunks(bytes: 100 << 20),
        ])
        await #expect(throws: HTTPFailure.tooLong(limit: 1 << 20)) {
            try await post(to: server, HTTPLimits(answerBytes: 1 << 20))
        }
        // The rest is what the system takes on its way.
        #expect(server.record.sentBytes < 50 << 20)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\n", "A: b\r\n"), ("", "HTTP/1.1 100 Continue\r\n\r\n"),
        ("HTTP/1.1 200 OK\r\nA: ", "bbbbbbbbbbbbbbbb"),
    ])
    func `headers without end are too long`(start: String, line: String) async {
        let server = ScriptedServer([.take, .send(start), .sendForever(line)])
        await #expect(throws: HTTPFailure.tooLong(limit: 64 << 10)) { try await post(to: server) }
    }

    @Test(arguments: [
        "", "127.0.0.1", "ftp://127.0.0.1/", "file:///etc/passwd", "http:/127.0.0.1/", "http://",
        "http:///a", "http://:80/", "http://user@127.0.0.1/", "http://user:word@127.0.0.1/",
        "http://127.0.0.1/#a", "http://127.0.0.1/a b", "http://127.0.0.1/\r\nA: b",
        "http://127.0.0.1/\0", "http://127.0.0.1:99999/", "http://127.0.0.1:a/", "http://[::1/",
        "http://a\\b/", "http://bücher/", " http://127.0.0.1/", "https://127.0.0.1:80:80/",
        "http://127.0.0.1/" + String(repeating: "a", count: 2_048),
    ])
    func `a text that is no address of a server is refused`(url: String) async {
        await #expect(throws: HTTPFailure.invalidAddress) {
            try await HTTPClient(HTTPTarget(url: url)).post([])
        }
    }

    @discardableResult
    private func post(to server: ScriptedServer, _ limits: HTTPLimits = .standard)
        async throws -> HTTPResponse
    {
        try await HTTPClient(HTTPTarget(url: server.url), limits: limits).post([])
    }

    private static func answer(of length: Int, isChunked: Bool) -> ScriptedServer.Step {
        let body = String(repeating: "a", count: length)
        guard isChunked else { return ScriptedServer.answer(body) }
        let size = String(length, radix: 16)
        return .send(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\n\(body)\r\n0\r\n\r\n")
    }
}
