import Foundation
import TestSupport

/// An issuer of certificates in a folder of its own, made by the `openssl` command.
final class Authority: Sendable {
    /// A certificate's and its key's files.
    struct Issued {
        let certificate: String
        let key: String
    }

    let folder: String
    /// The issuer's own certificate.
    var certificate: String { "\(folder)/ca.pem" }

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/daybook-http-\(UUID())"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        try Self.settings.write(toFile: "\(folder)/ca.cnf", atomically: true, encoding: .utf8)
        try "".write(toFile: "\(folder)/index.txt", atomically: true, encoding: .utf8)
        try openSSL(
            ["req", "-x509", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=Test issuer"]
                + Self.newKey)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// A certificate that this issuer has signed; times are `YYYYMMDDhhmmssZ`.
    func issue(
        for name: String = "IP:127.0.0.1", from: String = "20200101000000Z",
        until: String = "20990101000000Z"
    ) throws -> Issued {
        try "subjectAltName=\(name)"
            .write(toFile: "\(folder)/names.cnf", atomically: true, encoding: .utf8)
        try openSSL(
            ["req", "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=server"]
                + Self.newKey)
        try openSSL([
            "ca", "-batch", "-notext", "-config", "ca.cnf", "-extfile", "names.cnf",
            "-startdate", from, "-enddate", until, "-in", "server.csr", "-out", "server.pem",
        ])
        return Issued(certificate: "\(folder)/server.pem", key: "\(folder)/server.key")
    }

    /// A self-signed certificate.
    func selfSigned() throws -> Issued {
        try openSSL(
            [
                "req", "-x509", "-keyout", "self.key", "-out", "self.pem", "-subj", "/CN=server",
                "-addext", "subjectAltName=IP:127.0.0.1",
            ] + Self.newKey)
        return Issued(certificate: "\(folder)/self.pem", key: "\(folder)/self.key")
    }

    private func openSSL(_ arguments: [String]) throws {
        let run = try ProgramRun(["openssl"] + arguments, in: folder)
        if run.status != 0 { throw Failed(arguments: arguments) }
    }

    private struct Failed: Error {
        let arguments: [String]
    }

    private static let newKey = [
        "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
    ]

    private static let settings = """
        [ca]
        default_ca = issuer
        [issuer]
        database = index.txt
        rand_serial = yes
        new_certs_dir = .
        certificate = ca.pem
        private_key = ca.key
        default_md = sha256
        policy = any
        [any]
        commonName = supplied

        """
}

/// A TLS server on this computer, in a process of its own: `Tests/Fixtures/http/tls_server.py`.
final class TLSServer {
    let url: String
    private let program: RunningProgram

    init(_ issued: Authority.Issued, newest: String = "1.3") throws {
        let script = Fixture.path("http/tls_server.py")
        // The server ends when its input does.
        program = try RunningProgram(
            ["python3", script, issued.certificate, issued.key, newest], hasInput: true,
            errors: .shown)
        url = "https://127.0.0.1:\(program.output.line() ?? "")/"
    }

    deinit {
        program.input?.close()
        _ = program.end()
    }
}
