import Foundation
import TestSupport

/// HTTPS in front of a server: a child process that has a certificate and passes bytes on.
///
/// It ends when nothing refers to it any more. Certificates are made by the `openssl` command in a
/// temporary folder that ends with it.
package final class TLSFront: Sendable {
    /// The kind of certificate.
    package enum Certificate: Sendable {
        /// For 127.0.0.1 and localhost, good for a day.
        case valid
        /// For 127.0.0.1 and localhost, of the past.
        case expired
        /// For another host.
        case otherHost
    }

    /// Why there is no front.
    struct Failure: Error {
        let message: String
    }

    /// Where the server is asked with TLS.
    package let url: String
    /// The self-signed certificate, as a file to trust.
    package let caFile: String
    private let folder: URL
    private let program: RunningProgram

    /// A front for a server, with a certificate made for it.
    package init(_ server: NodeServer, _ certificate: Certificate = .valid) throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "tls-front-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let script = folder.appending(path: "front.py")
        try Data(Self.script.utf8).write(to: script)
        try Self.make(certificate, in: folder)
        caFile = folder.appending(path: "certificate.pem").path
        let key = folder.appending(path: "key.pem").path
        // It ends when its input does.
        program = try RunningProgram(
            ["python3", script.path, caFile, key, "\(server.port)"], hasInput: true,
            errors: .dropped)
        guard let line = program.output.line(), let port = UInt16(line) else {
            throw Failure(message: "the front has no port")
        }
        let path = URL(string: server.url)?.path ?? "/"
        url = "https://127.0.0.1:\(port)\(path)"
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private static func make(_ certificate: Certificate, in folder: URL) throws {
        let name = certificate == .otherHost ? "DNS:node.example" : "IP:127.0.0.1,DNS:localhost"
        let settings = """
            [req]
            distinguished_name = name
            [name]
            [ca]
            default_ca = own
            [own]
            database = index.txt
            new_certs_dir = .
            rand_serial = yes
            default_md = sha256
            policy = any
            x509_extensions = extensions
            [any]
            commonName = supplied
            [extensions]
            subjectAltName = \(name)
            basicConstraints = critical,CA:TRUE
            """
        try Data((settings + "\n").utf8).write(to: folder.appending(path: "openssl.cnf"))
        try Data().write(to: folder.appending(path: "index.txt"))
        try openssl(
            [
                "req", "-config", "openssl.cnf", "-new", "-newkey", "ec", "-pkeyopt",
                "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "key.pem", "-out",
                "request.pem", "-subj", "/CN=node",
            ], in: folder)
        let dates = certificate == .expired
            ? ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"] : ["-days", "1"]
        try openssl(
            [
                "ca", "-config", "openssl.cnf", "-batch", "-notext", "-selfsign", "-keyfile",
                "key.pem", "-in", "request.pem", "-out", "certificate.pem",
            ] + dates, in: folder)
    }

    private static func openssl(_ arguments: [String], in folder: URL) throws {
        let run = try ProgramRun(["openssl"] + arguments, in: folder.path)
        if run.status != 0 { throw Failure(message: run.output) }
    }

    private static let script = """
        import os, select, socket, ssl, sys, threading

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])

        def serve(client):
            try:
                with context.wrap_socket(client, server_side=True) as outside:
                    with socket.create_connection(("127.0.0.1", int(sys.argv[3]))) as inside:
                        copy(outside, inside)
            except OSError:
                client.close()

        def copy(outside, inside):
            # Bytes that are decrypted already make no socket ready.
            while True:
                ready = [outside] if outside.pending() else select.select(
                    [outside, inside], [], [])[0]
                for source, sink in ((outside, inside), (inside, outside)):
                    if source in ready:
                        data = source.recv(65536)
                        if not data:
                            return
                        sink.sendall(data)

        def watch():
            sys.stdin.buffer.read()
            os._exit(0)

        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        threading.Thread(target=watch, daemon=True).start()
        while True:
            client, _ = listener.accept()
            threading.Thread(target=serve, args=(client,), daemon=True).start()

        """
}
