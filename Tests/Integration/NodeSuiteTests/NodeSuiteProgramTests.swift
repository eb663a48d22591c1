import DaybookSystem
import Foundation
import NodeServer
import Testing
import TestSupport

/// The program behind `tools/dev test-nodes`, run as another process.
struct NodeSuiteProgramTests {
    @Test func `it finds that a sound node holds, and tells`() async throws {
        let server = try NodeServer(.dash, user: "user", password: "pass")
        let cookie = try File("user:pass\n")
        let run = try await Self.run([
            "--dash", server.url, "--dash-password-file", cookie.path,
        ])
        #expect(run.status == 0, "\(run.output)")
        #expect(!run.output.contains("FAILED"))
        let paid = "held         a store is paid, pays by a link, and has the rest to the duff"
        #expect(run.output.contains(paid))
    }

    @Test func `it finds that a sound ICON node holds`() async throws {
        let server = try NodeServer(.icon)
        // On a thread: the other tests may keep all tasks of this process waiting for seconds.
        Thread.detachNewThread { [weak server] in
            while server?.mine() != nil { Thread.sleep(forTimeInterval: 0.02) }
        }
        let run = try await Self.run([
            "--icon", server.url, "--icon-debug", server.url + "d",
            "--icon-token", "cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32",
        ])
        #expect(run.status == 0, "\(run.output)")
        #expect(!run.output.contains("FAILED"))
        #expect(!run.output.contains("no funded key"))
    }

    @Test func `it finds out a node that lies`() async throws {
        let server = try NodeServer(.dash)
        server.misbehave(.result(.null), on: "getaddressmempool")
        let run = try await Self.run(["--dash", server.url])
        #expect(run.status == 1)
        #expect(run.output.contains("FAILED"))
    }

    @Test func `it says that a node can't be asked`() async throws {
        let server = try NodeServer(.axe)
        server.stop()
        let run = try await Self.run(["--axe", server.url])
        #expect(run.status == 5)
        #expect(run.output.contains("axe can't be asked: connectionRefused"))
    }

    @Test func `it leaves alone a node that is not on regtest`() async throws {
        let server = try NodeServer(.dash, network: .testnet)
        let run = try await Self.run(["--dash", server.url])
        #expect(run.status == 5)
        #expect(run.output.contains("dash can't be asked: it is on test, not on regtest"))
        #expect(server.utxo { $0.tip.height } == 0)
    }

    @Test func `it does nothing to any node where one is of another chain`() async throws {
        let (dash, axe) = (try NodeServer(.dash), try NodeServer(.axe))
        let run = try await Self.run(["--dash", dash.url, "--axe", dash.url])
        #expect(run.status == 5)
        #expect(
            run.output.contains("axe can't be asked: it is not a node of axe"), "\(run.output)")
        #expect(dash.utxo { $0.tip.height } == 0)
        #expect(try await Self.run(["--dash", axe.url, "--icon", dash.url]).status == 5)
        #expect(axe.utxo { $0.tip.height } == 0)
    }

    @Test func `the script's help has the program's options, and needs no build`() async throws {
        let help = try Repository.text("tools/verbs/test-nodes.py")
        let program = try await Self.run(["--help"]).output
        let options = try #require(program.range(of: "  --dash URL")?.lowerBound)
        #expect(help.contains(program[options...]))
    }

    /// A file that goes when it is no longer referred to.
    private final class File: Sendable {
        let path = NSTemporaryDirectory() + "node-suite-" + UUID().uuidString

        init(_ text: String) throws {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private static func run(_ options: [String]) async throws -> ProgramRun {
        // Waiting for the program must not keep the servers of this process from working.
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        try ProgramRun(["\(ProgramRun.folder)/node-suite", "run"] + options)
                    })
            }
        }
    }
}
