import DaybookEncoding
import DaybookSystem
import Foundation
import TestSupport
import Testing

@testable import DaybookPage

/// `daybook serve --metrics`: what an operator's programs read.
struct MetricsTests {
    private let folder: TemporaryFolder
    private let home: String

    init() throws {
        folder = try TemporaryFolder()
        home = folder.path + "/store"
        #expect(try daybook("init").status == 0)
    }

    /// A server that ends with this value.
    private struct Served {
        let program: RunningProgram
        /// The port of its metrics.
        let port: UInt16

        func ask(_ path: String, method: String = "GET", host: String? = nil) throws -> RawAnswer {
            let client = try RawClient(port)
            let host = host ?? "127.0.0.1:\(port)"
            client.send("\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
            return RawAnswer(client.read())
        }

        func stop() -> ProgramRun {
            program.send(SIGTERM)
            return program.end()
        }
    }

    private func serve(
        _ words: String..., place: String = "127.0.0.1:0", through: [String] = []
    ) throws -> Served {
        let program = try RunningProgram(
            through + [
                "\(ProgramRun.folder)/daybook", "serve", "--json", "--home", home, "--socket",
                folder.path + "/socket", "--metrics", place,
            ] + words)
        let line = try #require(program.output.line(), "the server has ended")
        let address = try JSON.parse(Array(line.utf8))["metrics"]?.stringValue
        let port = try #require(address?.dropLast("/metrics".count).split(separator: ":").last)
        return Served(program: program, port: try #require(UInt16(port)))
    }

    private func daybook(_ words: String...) throws -> ProgramRun {
        try ProgramRun(["\(ProgramRun.folder)/daybook"] + words + ["--home", home])
    }

    @Test func `metrics have a help and a type, and health says that all is well`() throws {
        let server = try serve()
        let metrics = try server.ask("/metrics")
        #expect(metrics.status == 200)
        #expect(
            metrics.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
        #expect(metrics.body.contains("# TYPE daybook_requests_total counter\n"))
        #expect(metrics.body.contains("\ndaybook_log_events 0\n"))
        #expect(!metrics.body.contains(folder.path))
        let health = try server.ask("/health")
        #expect(health.status == 200 && health.body == "{\"ok\":true}\n")
        let ended = server.stop()
        #expect(ended.status == 0)
        let lines = ended.error.split(separator: "\n")
        #expect(lines.count == 2, "\(ended.error)")
        #expect(lines.first?.hasSuffix("notice: the server answers (serverStarted)") == true)
        #expect(lines.last?.hasSuffix("notice: the server has stopped (serverStopped)") == true)
    }

    private static let python = Repository.path(".build/peers/bin/python")

    /// `tools/setup test` installs it where it can.
    private static var hasReader: Bool {
        guard FileManager.default.fileExists(atPath: python) else { return false }
        return (try? ProgramRun([python, "-c", "import prometheus_client"]))?.status == 0
    }

    @Test(.enabled(if: hasReader))
    func `Prometheus's own reader takes the metrics`() throws {
        let server = try serve("--page")
        let script = """
            import sys
            from prometheus_client.parser import text_string_to_metric_families as families
            found = {family.name: family for family in families(sys.stdin.read())}
            assert found["daybook_requests"].type == "counter"
            times = found["daybook_commit_duration_seconds"]
            assert times.type == "histogram"
            counts = [s.value for s in times.samples if s.name.endswith("_bucket")]
            assert counts == sorted(counts) and len(counts) == 11
            assert all(family.documentation for family in found.values())
            assert all(sample.name.startswith("daybook_")
                       for family in found.values() for sample in family.samples)
            print(len(found))
            """
        let text = try server.ask("/metrics").body
        let file = folder.path + "/metrics"
        try Data(text.utf8).write(to: URL(filePath: file))
        let read = try ProgramRun([
            "/bin/sh", "-c", "\"$0\" -c \"$1\" <\"$2\"", Self.python, script, file,
        ])
        #expect(read.status == 0, "\(read.output)\(read.error)")
    }

    @Test func `other paths, methods, hosts and bodies are refused`() throws {
        let server = try serve()
        #expect(try server.ask("/").status == 404)
        #expect(try server.ask("/metrics/").status == 404)
        for method in ["POST", "HEAD", "DELETE"] {
            let answer = try server.ask("/metrics", method: method)
            #expect(answer.status == 405 && answer.header("Allow") == "GET")
        }
        #expect(try server.ask("/metrics", host: "rebound.example:\(server.port)").status == 403)
        #expect(try server.ask("/metrics", host: "127.0.0.1").status == 403)
        #expect(try server.ask("/metrics", host: "localhost:\(server.port)").status == 200)
    }

    @Test func `health says by a code why nothing can be recorded`() throws {
        let server = try serve()
        try Data("{".utf8).write(to: URL(filePath: home + "/settings.json"))
        let health = try server.ask("/health")
        #expect(health.status == 503)
        #expect(health.body == "{\"ok\":false,\"code\":\"settingsInvalid\"}\n")
    }

    @Test func `a standard error that nobody reads keeps nothing from being served`() throws {
        let server = try serve(
            "--log-format", "json",
            through: [
                "/bin/sh", "-c", "head -c 65536 /dev/zero >&2; exec \"$0\" \"$@\"",
            ])
        #expect(try daybook("open", "dash:nobody?amount=1").status == 1)
        while try !server.ask("/metrics").body.contains("{outcome=\"refused\"} 1\n") {}
        #expect(try server.ask("/health").status == 200)
        server.program.send(SIGTERM)
        // Its end is told by the end of its output, because nobody reads its standard error.
        #expect(server.program.output.line() == nil)
        #expect(server.program.end().status == 0)
    }

    @Test func `a standard error whose reader has gone ends nothing`() throws {
        let server = try serve()
        server.program.error?.close()
        #expect(try daybook("open", "dash:nobody?amount=1").status == 1)
        while try server.ask("/metrics").body.contains("daybook_log_lines_lost_total 0\n") {}
        server.program.send(SIGTERM)
        #expect(server.program.output.line() == nil)
    }

    @Test func `under systemd's journal each line begins with its level`() throws {
        let file = folder.path + "/journal"
        // As systemd does, the variable names the stream that the service gets.
        let script = """
            exec 2>"$0"
            export JOURNAL_STREAM=$(stat -Lc %d:%i /proc/self/fd/2)
            exec "$@"
            """
        let server = try serve(through: ["/bin/sh", "-c", script, file])
        #expect(server.stop().status == 0)
        let lines = try String(contentsOfFile: file, encoding: .utf8)
        #expect(
            lines == """
                <5>the server answers (serverStarted)
                <5>the server has stopped (serverStopped)

                """)
    }

    @Test(arguments: [
        ("127.0.0.1", nil), ("127.0.0.1:x", nil), ("127.0.0.1:65536", nil), (":9464", nil),
        ("example.com:9464", nil), ("0.0.0.0:9464", nil), ("[::]:9464", nil), ("::1:9464", nil),
        ("[127.0.0.1]:9464", nil), ("[::ffff:127.0.0.1]:9464", nil), ("127.1:9464", nil),
        ("127.0.0.1:9464", true), ("localhost:1", true), ("[::1]:9464", true),
        ("192.0.2.7:9464", false), ("[2001:db8::1]:1", false),
    ] as [(String, Bool?)])
    func `a place is one address in numbers and a port`(text: String, isLoopback: Bool?) throws {
        #expect((try? ListeningPlace(text, for: "--metrics"))?.isLoopback == isLoopback)
    }

    @Test func `another machine's address, and a port in use, are named`() throws {
        let server = try serve()
        for place in ["192.0.2.7:0", "127.0.0.1:\(server.port)"] {
            let refused = try daybook(
                "serve", "--socket", folder.path + "/other", "--metrics", place)
            #expect(refused.status == 2 && refused.output.contains("(portInUse)"))
        }
        let format = try daybook("serve", "--log-format", "xml")
        #expect(format.status == 2 && format.output.contains("(usage)"))
    }

    @Test func `an address of IPv6 is served`() throws {
        let server = try serve(place: "[::1]:0")
        #expect(server.stop().status == 0)
    }
}
