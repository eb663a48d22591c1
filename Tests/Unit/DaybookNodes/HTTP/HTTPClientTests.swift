import Testing

@testable import DaybookNodes

struct HTTPClientTests {
    @Test func `a body is posted and the answer comes back as it is`() async throws {
        let server = ScriptedServer([
            .take,
            ScriptedServer.answer(
                "{\"a\":1}", status: "500 Oh", headers: ["Content-Type: application/json"]),
        ])
        let answer = try await HTTPClient(HTTPTarget(url: server.url + "a/../b?c=d"))
            .post(Array("[1]".utf8))
        #expect(
            answer
                == HTTPResponse(
                    status: 500, contentType: "application/json", body: Array("{\"a\":1}".utf8)))
        #expect(
            server.record.requests == [
                """
                POST /a/../b?c=d HTTP/1.1\r
                Host: 127.0.0.1:\(server.port)\r
                User-Agent: daybook\r
                Accept: */*\r
                Content-Type: application/json\r
                Content-Length: 3\r
                \r
                [1]
                """
            ])
    }

    @Test(arguments: [0, 1, 2_000_000])
    func `a body of any length is sent whole and without waiting for leave`(count: Int)
        async throws
    {
        let server = ScriptedServer([.take, ScriptedServer.answer()])
        let body = [UInt8](repeating: UInt8(ascii: "a"), count: count)
        _ = try await HTTPClient(HTTPTarget(url: server.url)).post(body, contentType: "text/plain")
        let request = try #require(server.record.requests.first)
        #expect(request.hasSuffix("\r\n\r\n" + String(repeating: "a", count: count)))
        #expect(!request.contains("Expect:"))
        #expect(request.contains("Content-Type: text/plain\r\n"))
    }

    @Test func `calls at the same time go one after another over one connection`() async throws {
        let steps: [ScriptedServer.Step] = [.take, ScriptedServer.answer()]
        let server = ScriptedServer(Array(repeatElement(steps, count: 20).joined()))
        let client = HTTPClient(HTTPTarget(url: server.url))
        try await withThrowingTaskGroup { group in
            for _ in 1...20 {
                group.addTask { try await client.post([]).status }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(server.record.connections == 1)
        #expect(server.record.requests.count == 20)
    }

    @Test func `calls wait for their server without a thread of Swift's own`() async {
        let servers = (1...40).map { _ in ScriptedServer([.take, .hold]) }
        let calls = servers.map { server in
            Task { try await HTTPClient(HTTPTarget(url: server.url)).post([]) }
        }
        // All of them have arrived while none was answered.
        for server in servers { _ = await server.requests.first { _ in true } }
        for call in calls { call.cancel() }
        for call in calls { await #expect(throws: HTTPFailure.cancelled) { try await call.value } }
    }

    @Test(arguments: [
        [], [.take], [.take, .reset], [.takeSome, .reset],
    ] as [[ScriptedServer.Step]], [0, 8 << 20])
    func `a kept connection that is closed before it answers fails no call`(
        end: [ScriptedServer.Step], count: Int
    ) async throws {
        let server = ScriptedServer(
            [.take, ScriptedServer.answer("1")] + end, [.take, ScriptedServer.answer("2")])
        let client = HTTPClient(HTTPTarget(url: server.url))
        #expect(try await client.post([]).body == Array("1".utf8))
        let answer = try await client.post([UInt8](repeating: 0, count: count))
        #expect(answer.body == Array("2".utf8))
        #expect(server.record.connections == 2)
    }

    @Test func `a request is sent a second time only if nothing of an answer has come`()
        async throws
    {
        let server = ScriptedServer([
            .take, ScriptedServer.answer(), .take, .send("HTTP/1.1 200 OK\r\n"),
        ])
        let client = HTTPClient(HTTPTarget(url: server.url))
        _ = try await client.post([])
        await #expect(throws: HTTPFailure.cutShort) { try await client.post([]) }
        #expect(server.record.connections == 1)
    }

    @Test func `a request is sent twice and not a third time`() async throws {
        let server = ScriptedServer([.take, ScriptedServer.answer(), .take], [.take], [.take])
        let client = HTTPClient(HTTPTarget(url: server.url))
        _ = try await client.post([])
        await #expect(throws: HTTPFailure.cutShort) { try await client.post([]) }
        #expect(server.record.connections == 2)
    }

    @Test func `a client that has failed connects again`() async throws {
        let server = ScriptedServer([.take], [.take, ScriptedServer.answer()])
        let client = HTTPClient(HTTPTarget(url: server.url))
        await #expect(throws: HTTPFailure.cutShort) { try await client.post([]) }
        #expect(try await client.post([]).status == 200)
    }

    @Test func `a call that is given up ends while its server is silent`() async throws {
        let server = ScriptedServer([.take, .hold], [.take, ScriptedServer.answer()])
        // The time limit is a day, so that a test that waits for it would hang.
        let limits = HTTPLimits(totalMilliseconds: 86_400_000)
        let client = HTTPClient(HTTPTarget(url: server.url), limits: limits)
        let call = Task { try await client.post([]) }
        _ = await server.requests.first { _ in true }
        call.cancel()
        await #expect(throws: HTTPFailure.cancelled) { try await call.value }
        #expect(try await client.post([]).status == 200)
    }

    @Test func `a call that is given up while it waits for another is never sent`() async throws {
        let server = ScriptedServer([.take, .hold])
        let client = HTTPClient(HTTPTarget(url: server.url))
        let first = Task { try await client.post([]) }
        _ = await server.requests.first { _ in true }
        let second = Task { try await client.post([]) }
        second.cancel()
        await #expect(throws: HTTPFailure.cancelled) { try await second.value }
        first.cancel()
        await #expect(throws: HTTPFailure.cancelled) { try await first.value }
        #expect(server.record.requests.count == 1)
    }

    @Test func `a compressed answer is not unpacked`() async throws {
        let server = ScriptedServer([
            .take, ScriptedServer.answer("abc", headers: ["Content-Encoding: gzip"]),
        ])
        let answer = try await HTTPClient(HTTPTarget(url: server.url)).post([])
        #expect(answer.body == Array("abc".utf8))
        #expect(server.record.requests.first?.contains("Encoding") == false)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\n\r\nabc", "HTTP/1.0 200 OK\r\nConnection: close\r\n\r\nabc",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 3\n\nabc",
    ])
    func `an answer is taken in every form of HTTP 1`(text: String) async throws {
        let server = ScriptedServer([.take, .send(text)])
        let answer = try await HTTPClient(HTTPTarget(url: server.url)).post([])
        #expect(answer == HTTPResponse(status: 200, contentType: nil, body: Array("abc".utf8)))
    }

    @Test func `the library says which one it is`() {
        #expect(HTTPLibrary.version.contains("libcurl/"))
        #expect(HTTPLibrary.version.contains("OpenSSL/"))
    }
}
