import Foundation
import TestSupport

/// A TLS server on this computer, in a process of its own: `Tests/Fixtures/http/tls_server.py`.
final class TLSServer {
    let url: String
    private let process = Process()
    /// The server ends when this is closed.
    private let input = Pipe()

    init(_ issued: Authority.Issued, newest: String = "1.3") throws {
        let program = Fixture.path("http/tls_server.py")
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", program, issued.certificate, issued.key, newest]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        url = "https://127.0.0.1:\(line.trimmingCharacters(in: .whitespacesAndNewlines))/"
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
