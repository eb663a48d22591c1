import Testing

@testable import DaybookHTTP

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
                == HTTPAnswer(
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

    @Test func `calls one after another go over one connection`() async throws {
        let server = ScriptedServer([
            .take, ScriptedServer.answer("1"), .take, ScriptedServer.answer("2"), .take,
            ScriptedServer.answer("3"),
        ])
        let client = HTTPClient(HTTPTarget(url: server.url))
        for text in ["1", "2", "3"] {
            #expect(try await client.post([]).body == Array(text.utf8))
        }
        #expect(server.record.connections == 1)
    }

    @Test func `a kept connection that was closed meanwhile fails no call`() async throws {
        let server = ScriptedServer(
            [.take, ScriptedServer.answer("1")], [.take, ScriptedServer.answer("2")])
        let client = HTTPClient(HTTPTarget(url: server.url))
        #expect(try await client.post([]).body == [UInt8(ascii: "1")])
        #expect(try await client.post([]).body == [UInt8(ascii: "2")])
        #expect(server.record.connections == 2)
    }
}
