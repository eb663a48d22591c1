import DaybookChains
import DaybookSystem
import Foundation
import NodeServer
import Testing

/// The program behind `tools/test-nodes`, run as another process.
@Suite(.timeLimit(.minutes(5)))
struct ProgramTests {
    @Test(arguments: [Chain.dash, .axe])
    func `it finds that a sound node holds, and tells`(chain: Chain) async throws {
        let server = try NodeServer(chain, user: "user", password: "pass")
        let cookie = try File("user:pass\n")
        let run = try await Self.run([
            "--\(chain.rawValue)", server.url,
            "--\(chain.rawValue)-password-file", cookie.path,
        ])
        #expect(run.status == 0, "\(run.output)")
        #expect(!run.output.contains("FAILED"))
        let paid = "held         a store is paid, pays by a link, and has the rest to the duff"
        #expect(run.output.contains(paid))
    }

    @Test func `it finds that a sound ICON node holds`() async throws {
        let server = try NodeServer(.icon)
        let mining = Task {
            while !Task.isCancelled {
                server.mine()
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        defer { mining.cancel() }
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

    /// A file that goes when it is no longer referred to.
    private final class File: Sendable {
        let path = NSTemporaryDirectory() + "node-suite-" + UUID().uuidString

        init(_ text: String) throws {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }
    }

    private static func run(
        _ options: [String]
    ) async throws -> (status: Int32, output: String) {
        let folder = Files.parent(of: try Files.resolved("/proc/self/exe"))
        let process = Foundation.Process()
        process.executableURL = URL(fileURLWithPath: "\(folder)/node-suite")
        process.arguments = ["run"] + options
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        // Reading waits for the process; it must not keep the servers of this one from working.
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                let text = output.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                continuation.resume(
                    returning: (process.terminationStatus, String(decoding: text, as: UTF8.self)))
            }
        }
    }
}
