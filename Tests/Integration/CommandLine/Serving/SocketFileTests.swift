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
        let answer = try Call.run(["/usr/bin/env", "python3", "-c", script])
        #expect(answer.output == "0\n", "\(answer.error)")
        #expect(try server.client().result("info")["log"] != nil)
    }

    @Test func `the socket that systemd passes is served`() throws {
        let path = scene.path("passed")
        let script = """
            import os, socket
            listening = socket.socket(socket.AF_UNIX)
            listening.bind("\(path)")
            listening.listen()
            if listening.fileno() != 3: os.dup2(listening.fileno(), 3)
            os.set_inheritable(3, True)
            os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
            os.execv("\(Call.folder)/daybook", ["daybook", "serve", "--json"])
            """
        let program = try RunningProgram(
            ["/usr/bin/env", "python3", "-c", script], environment: ["DAYBOOK_HOME": scene.home])
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
