import Foundation
import Testing

@testable import DaybookNodes

struct HTTPSTests {
    private let authority: Authority

    init() throws {
        authority = try Authority()
    }

    @Test func `a server with a certificate of the named issuer is asked`() async throws {
        let server = try TLSServer(authority.issue())
        #expect(try await client(server).post([1]).body == Array("1".utf8))
    }

    @Test(arguments: [0, 8 << 20])
    func `a kept connection that is reset in the middle of a request fails no call`(count: Int)
        async throws
    {
        let server = try TLSServer(authority.issue())
        let client = client(server)
        #expect(try await client.post([1]).body == Array("1".utf8))
        let answer = try await client.post([UInt8](repeating: 1, count: count))
        #expect(answer.body == Array("2".utf8))
    }

    @Test func `TLS 1,2 is spoken and nothing older`() async throws {
        let issued = try authority.issue()
        let newest = try TLSServer(issued, newest: "1.2")
        #expect(try await client(newest).post([]).status == 200)
        let older = try TLSServer(issued, newest: "1.1")
        await expect(.noTLS, of: client(older))
    }

    @Test func `a certificate whose time is over is not trusted`() async throws {
        let server = try TLSServer(authority.issue(until: "20200102000000Z"))
        await expect(.certificate(.expired), of: client(server))
    }

    @Test func `a certificate whose time has not come is not trusted`() async throws {
        let server = try TLSServer(authority.issue(from: "20980101000000Z"))
        await expect(.certificate(.notYetValid), of: client(server))
    }

    @Test(arguments: ["DNS:localhost", "IP:127.0.0.2", "DNS:127.0.0.1"])
    func `a certificate of another host is not trusted`(name: String) async throws {
        let server = try TLSServer(authority.issue(for: name))
        await expect(.certificate(.otherHost), of: client(server))
    }

    @Test func `a certificate that signed itself is not trusted`() async throws {
        let server = try TLSServer(authority.selfSigned())
        await expect(.certificate(.unknownIssuer), of: client(server))
    }

    @Test func `the named issuers are trusted instead of the system's, and those alone`()
        async throws
    {
        let other = try Authority()
        let server = try TLSServer(authority.issue())
        await expect(.certificate(.unknownIssuer), of: client(server, trusting: other.certificate))
        await expect(.certificate(.unknownIssuer), of: client(server, trusting: nil))
    }

    @Test func `a file of issuers that is missing or holds none is named as the fault`()
        async throws
    {
        let server = try TLSServer(authority.issue())
        let empty = "\(authority.folder)/empty.pem"
        try "".write(toFile: empty, atomically: true, encoding: .utf8)
        let paths = [
            "\(authority.folder)/none.pem", "\(authority.folder)/ca.key", authority.folder, empty,
            "", "\(authority.certificate)\0",
        ]
        for path in paths {
            await expect(.certificateFile, of: client(server, trusting: path))
        }
    }

    @Test func `a password is not sent to a server that is not trusted`() async throws {
        // A server without TLS gets the client's greeting, and it holds no secret.
        let server = ScriptedServer([.takeSome, .send("HTTP/1.1 200 OK\r\n\r\n")])
        let url = "https://127.0.0.1:\(server.port)/"
        let target = HTTPTarget(url: url, user: "user", password: Array("password".utf8))
        await expect(.noTLS, of: HTTPClient(target))
        #expect(server.record.requests == [])
    }

    @Test func `a handshake that is never answered ends with the time to connect`() async {
        let server = ScriptedServer([.hold])
        let target = HTTPTarget(url: "https://127.0.0.1:\(server.port)/")
        // The time limit is a day, so that a test that waits for it would hang.
        let limits = HTTPLimits(connectMilliseconds: 50, totalMilliseconds: 86_400_000)
        await expect(.timedOut, of: HTTPClient(target, limits: limits))
    }

    private func client(_ server: TLSServer) -> HTTPClient {
        client(server, trusting: authority.certificate)
    }

    private func client(_ server: TLSServer, trusting certificates: String?) -> HTTPClient {
        HTTPClient(HTTPTarget(url: server.url, certificates: certificates))
    }

    private func expect(
        _ failure: HTTPFailure, of client: HTTPClient,
        at location: SourceLocation = #_sourceLocation
    ) async {
        await #expect(throws: failure, sourceLocation: location) { try await client.post([]) }
    }
}
