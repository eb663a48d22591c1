import Foundation
import TestSupport

/// A SOCKS5 proxy (RFC 1928) on 127.0.0.1, as a child process that knows the names of servers.
///
///     let proxy = try SOCKSProxy(to: server)      // whatever name is asked for leads to it
///     proxy.url                                   // "socks5h://127.0.0.1:43211"
///     proxy.requests                              // ["name node.example 9998"]
///     try SOCKSProxy(to: server, login: "u:p")    // and nobody else gets in
///     try SOCKSProxy(to: server, answering: 4)    // "host unreachable", to every request
///     try SOCKSProxy(to: server, answering: -1)   // what is no SOCKS at all
///
/// It ends when nothing refers to it any more.
package final class SOCKSProxy: Sendable {
    /// Why there is no proxy.
    struct Failure: Error {
        let message: String
    }

    /// The address for `node set --proxy`.
    package var url: String { "socks5h://127.0.0.1:\(port)" }
    /// The port of 127.0.0.1.
    package let port: UInt16
    private let folder: URL
    private let program: RunningProgram

    /// A proxy whose every connection leads to a server, unless it answers with another code.
    package init(to server: NodeServer, login: String = "", answering code: Int = 0) throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "socks-proxy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let script = folder.appending(path: "proxy.py")
        try Data(Self.script.utf8).write(to: script)
        // It ends when its input does.
        program = try RunningProgram(
            [
                "python3", script.path, "\(server.port)", login, "\(code)",
                folder.appending(path: "requests").path,
            ], hasInput: true, errors: .dropped)
        guard let line = program.output.line(), let port = UInt16(line) else {
            throw Failure(message: "the proxy has no port")
        }
        self.port = port
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The names that were asked for: `name` or `address`, the host and the port.
    package var requests: [String] {
        let file = folder.appending(path: "requests")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map { String($0) }
    }

    private static let script = """
        import os, select, socket, sys, threading

        server, login, code = int(sys.argv[1]), sys.argv[2].encode(), int(sys.argv[3])
        log, lock = open(sys.argv[4], "a"), threading.Lock()

        def exactly(client, count):
            data = b""
            while len(data) < count:
                more = client.recv(count - len(data))
                if not more:
                    raise OSError
                data += more
            return data

        def enter(client):
            if code < 0:
                client.sendall(b"HTTP/1.1 400 Bad Request\\r\\n\\r\\n")
                raise OSError
            methods = exactly(client, exactly(client, 2)[1])
            wanted = 2 if login else 0
            if wanted not in methods:
                client.sendall(b"\\x05\\xff")
                raise OSError
            client.sendall(bytes([5, wanted]))
            if login:
                user = exactly(client, exactly(client, 2)[1])
                password = exactly(client, exactly(client, 1)[0])
                isRight = user + b":" + password == login
                client.sendall(b"\\x01" + (b"\\x00" if isRight else b"\\x01"))
                if not isRight:
                    raise OSError

        def asked(client):
            kind = exactly(client, 4)[3]
            if kind == 3:
                host = "name " + exactly(client, exactly(client, 1)[0]).decode()
            else:
                family, size = {1: (socket.AF_INET, 4), 4: (socket.AF_INET6, 16)}[kind]
                host = "address " + socket.inet_ntop(family, exactly(client, size))
            return f"{host} {int.from_bytes(exactly(client, 2), 'big')}"

        def serve(client):
            try:
                enter(client)
                with lock:
                    print(asked(client), file=log, flush=True)
                client.sendall(bytes([5, code, 0, 1]) + bytes(6))
                if code == 0:
                    with socket.create_connection(("127.0.0.1", server)) as inside:
                        copy(client, inside)
            except OSError:
                pass
            client.close()

        def copy(outside, inside):
            while True:
                for source in select.select([outside, inside], [], [])[0]:
                    data = source.recv(65536)
                    if not data:
                        return
                    (inside if source is outside else outside).sendall(data)

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
