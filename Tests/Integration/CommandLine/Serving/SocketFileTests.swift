import DaybookEncoding
import Foundation
import Testing
import TestSupport

/// The socket's file, and the standard streams in its place.
struct SocketFileTests {
    private let scene: Scene

    init() throws { scene = try Scene() }

    @Test func `the socket is the user's alone, and is gone afterwards`() throws {
        let server = try Server(scene)
        var information = stat()
        #expect(lstat(server.path, &information) == 0)
        #expect(information.st_mode & 0o7777 == 0o600)
        #expect(server.program.end(by: SIGTERM).status == 0)
        #expect(lstat(server.path, &information) != 0)
    }

    @Test func `a second server at the same path is refused, and the first one stays`() throws {
        let server = try Server(scene)
        let second = try scene.daybook("serve", "--socket", server.path)
        #expect(second.status == 2)
        #expect(second.error.hasSuffix("(socketInUse)\n"))
        #expect(try server.client().result("info")["log"] != nil)
    }

    @Test func `the socket of a killed server is replaced`() throws {
        let killed = try Server(scene)
        _ = killed.program.end(by: SIGKILL)
        let server = try Server(scene)
        #expect(try server.client().result("info")["log"] != nil)
    }

    @Test func `a file that is no socket is left alone`() throws {
        let path = try scene.write("socket", "important")
        let refused = try scene.daybook("serve", "--socket", path)
        #expect(refused.status == 2)
        #expect(refused.error.hasSuffix("(fileExists)\n"))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "important")
    }

    @Test func `a peer of another user is refused even if the socket's mode lets it in`() throws {
        try #require(getuid() == 0, "only root can become another user")
        let server = try Server(scene)
        for path in [scene.folder, server.path] { chmod(path, 0o777) }
        let script = """
            import os, socket
            client = socket.socket(socket.AF_UNIX)
            os.setuid(65534)
            client.connect("\(server.path)")
            try:
                client.sendall(b'{"jsonrpc":"2.0","id":1,"method":"info"}\\n')
                print(len(client.recv(100)))
            except ConnectionError:
                print(0)
            """
        let answer = try Programs.run(["/usr/bin/env", "python3", "-c", script])
        #expect(answer.output == "0\n", "\(answer.error)")
        #expect(try server.client().result("info")["log"] != nil)
    }

    /// A Python program that passes a socket as systemd does, and says how many there are.
    private func passing(_ kind: String, count: Int = 1, path: String) -> [String] {
        let script = """
            import os, socket
            listening = socket.socket(socket.AF_UNIX, socket.\(kind))
            listening.bind("\(path)")
            if "\(kind)" == "SOCK_STREAM": listening.listen()
            if listening.fileno() != 3: os.dup2(listening.fileno(), 3)
            os.set_inheritable(3, True)
            os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="\(count)")
            os.execv("\(Programs.daybook)", ["daybook", "serve", "--json"])
            """
        return ["/usr/bin/env", "python3", "-c", script]
    }

    @Test func `two sockets of the service manager, or one of another kind, are named`() throws {
        let environment = ["DAYBOOK_HOME": scene.home]
        let two = try Programs.run(
            passing("SOCK_STREAM", count: 2, path: scene.path("two")), environment: environment)
        #expect(two.status == 2)
        #expect(two.error.contains("passed 2 sockets") && two.error.hasSuffix("(socketsPassed)\n"))
        let other = try Programs.run(
            passing("SOCK_DGRAM", path: scene.path("other")), environment: environment)
        #expect(other.status == 2)
        #expect(other.error.contains("ListenStream") && other.error.hasSuffix("(socketsPassed)\n"))
    }

    @Test func `a path that is too long for a socket is named with the limit`() throws {
        let longest = scene.folder + "/"
            + String(repeating: "s", count: 107 - scene.folder.utf8.count - 1)
        let server = try RunningProgram(
            [Programs.daybook, "serve", "--json", "--socket", longest],
            environment: ["DAYBOOK_HOME": scene.home])
        #expect(try server.object()["socket"]?.stringValue == longest)
        #expect(server.end(by: SIGTERM).status == 0)
        let refused = try scene.daybook("serve", "--socket", longest + "s")
        #expect(refused.status == 2)
        #expect(refused.error.contains("108 bytes") && refused.error.contains("107"))
        #expect(refused.error.hasSuffix("(socketPathTooLong)\n"))
        #expect(!FileManager.default.fileExists(atPath: longest + "s.lock"))
        // The usual place is in the store's folder where the session has none for sockets.
        let home = scene.path(String(repeating: "h", count: 100))
        try FileManager.default.copyItem(atPath: scene.home, toPath: home)
        let usual = try Programs.run(
            [Programs.daybook, "serve"],
            environment: ["DAYBOOK_HOME": home, "XDG_RUNTIME_DIR": ""])
        #expect(usual.status == 2 && usual.error.contains("--socket"), "\(usual.error)")
    }

    @Test func `the socket that systemd passes is served`() throws {
        let path = scene.path("passed")
        let program = try RunningProgram(
            passing("SOCK_STREAM", path: path), environment: ["DAYBOOK_HOME": scene.home])
        #expect(try program.object()["socket"] == nil)
        #expect(try SocketClient(path).result("info")["log"] != nil)
        #expect(program.end(by: SIGTERM).status == 0)
        // The socket is systemd's, which starts the server again for the next client.
        #expect(FileManager.default.fileExists(atPath: path))
    }

    @Test func `a front end at the standard streams gets all answers before the end`() throws {
        let lines = (1...50).map { #"{"jsonrpc":"2.0","id":\#($0),"method":"info"}"# + "\n" }
        let answer = try scene.daybook("serve", "--stdio", input: lines.joined())
        #expect(answer.status == 0)
        let ids = try answer.output.split(separator: "\n").map {
            try JSON.parse(Array($0.utf8))["id"]?.numberLiteral
        }
        #expect(Set(ids) == Set((1...50).map { "\($0)" }))
    }
}
