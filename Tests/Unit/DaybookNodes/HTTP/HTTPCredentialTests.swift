import Foundation
import Testing

@testable import DaybookNodes

struct HTTPCredentialTests {
    // The second is the example of RFC 7617, section 2.1.
    @Test(arguments: [
        ("Aladdin", Array("open sesame".utf8), "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        ("test", Array("123£".utf8), "dGVzdDoxMjPCow=="),
        ("", [0xFF, 0x3A, 0x80], "Ov86gA=="), ("user", nil, "dXNlcjo="),
        (nil, Array("word".utf8), "OndvcmQ="),
    ] as [(String?, [UInt8]?, String)])
    func `user and password are sent with the first request, byte for byte`(
        user: String?, password: [UInt8]?, encoded: String
    ) async throws {
        let server = ScriptedServer([.take, ScriptedServer.answer()])
        _ = try await HTTPClient(HTTPTarget(url: server.url, user: user, password: password))
            .post([])
        let lines = server.record.requests.first?.components(separatedBy: "\r\n") ?? []
        let authorizations = lines.filter { $0.lowercased().hasPrefix("authorization:") }
        #expect(authorizations == ["Authorization: Basic \(encoded)"])
    }

    @Test func `without user and password none is sent`() async throws {
        let server = ScriptedServer([.take, ScriptedServer.answer()])
        _ = try await HTTPClient(HTTPTarget(url: server.url)).post([])
        #expect(server.record.requests.first?.contains("uthorization") == false)
    }

    @Test(arguments: [
        ("a:b", []), ("a\n", []), ("a\0", []), ("a", [0]), ("a", [0x0D, 0x0A]), ("a", [0x7F]),
    ] as [(String, [UInt8])])
    func `credentials that can't be sent as they are are refused`(
        user: String, password: [UInt8]
    ) async {
        let server = ScriptedServer([.take, ScriptedServer.answer()])
        let client = HTTPClient(HTTPTarget(url: server.url, user: user, password: password))
        await #expect(throws: HTTPFailure.invalidCredentials) { try await client.post([]) }
        #expect(server.record.connections == 0)
    }

    @Test func `a refusal is an answer and nothing is sent a second time`() async throws {
        let server = ScriptedServer([
            .take,
            ScriptedServer.answer(
                "", status: "401 Unauthorized", headers: ["WWW-Authenticate: Digest realm=\"a\""]),
        ])
        let client = HTTPClient(
            HTTPTarget(url: server.url, user: "user", password: Array("word".utf8)))
        #expect(try await client.post([]).status == 401)
        #expect(server.record.requests.count == 1)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect is an answer, and whoever it names hears nothing`(status: Int) async throws {
        let other = ScriptedServer([.take, ScriptedServer.answer()])
        let server = ScriptedServer([
            .take,
            ScriptedServer.answer("", status: "\(status) Go", headers: ["Location: \(other.url)"]),
        ])
        let client = HTTPClient(
            HTTPTarget(url: server.url, user: "user", password: Array("word".utf8)))
        #expect(try await client.post([]).status == status)
        #expect(other.record.connections == 0)
    }

    @Test func `a cookie is not kept`() async throws {
        let server = ScriptedServer([
            .take, ScriptedServer.answer("", headers: ["Set-Cookie: a=b"]), .take,
            ScriptedServer.answer(),
        ])
        let client = HTTPClient(HTTPTarget(url: server.url))
        for _ in 1...2 { _ = try await client.post([]) }
        #expect(server.record.requests.last?.contains("ookie") == false)
    }

    @Test func `proxies and passwords of the environment are left alone`() async {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.path + "/daybook-http-\(UUID())"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            try "default login a password b\n"
                .write(toFile: "\(folder)/.netrc", atomically: true, encoding: .utf8)
            let proxy = ScriptedServer([.take, ScriptedServer.answer("proxy")])
            for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"] {
                setenv(name, proxy.url, 1)
            }
            setenv("HOME", folder, 1)
            let server = ScriptedServer([.take, ScriptedServer.answer("server")])
            let answer = try await HTTPClient(HTTPTarget(url: server.url)).post([])
            precondition(answer.body == Array("server".utf8))
            precondition(server.record.requests.first?.contains("uthorization") == false)
            precondition(proxy.record.connections == 0)
        }
    }

    @Test func `a target in a text is its address`() {
        let target = HTTPTarget(
            url: "http://127.0.0.1/", user: "user", password: Array("word".utf8))
        #expect("\(target)" == "http://127.0.0.1/")
        #expect("\([target])" == "[http://127.0.0.1/]")
    }
}
