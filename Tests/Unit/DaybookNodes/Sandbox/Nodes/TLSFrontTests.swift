import Foundation
import NodeServer
import Testing
import TestSupport

/// A server behind HTTPS, asked by the `python3` that the front itself needs.
struct TLSFrontTests {
    @Test(arguments: [
        (TLSFront.Certificate.valid, "200"), (.expired, "certificate has expired"),
        (.otherHost, "IP address mismatch"),
    ])
    func `a certificate has the parts that were ordered`(
        certificate: TLSFront.Certificate, expected: String
    ) throws {
        let server = try NodeServer(.dash)
        let front = try TLSFront(server, certificate)
        let said = try ask(front.url, trusting: front.caFile)
        #expect(said.contains(expected), "\(said)")
        #expect(server.requests.count == (expected == "200" ? 1 : 0))
    }

    private func ask(_ url: String, trusting file: String) throws -> String {
        let script = """
            import ssl, sys, urllib.request
            body = b'{"id":1,"method":"getblockcount"}'
            context = ssl.create_default_context(cafile=sys.argv[2])
            try:
                print(urllib.request.urlopen(sys.argv[1], body, context=context).status)
            except Exception as error:
                print(error)
            """
        return try ProgramRun(["python3", "-c", script, url, file]).output
    }
}
