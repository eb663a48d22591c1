import DaybookSystem
import Foundation
import Testing

/// A server of lines whose places are taken by clients that say nothing.
struct LineServerTests {
    @Test func `the oldest client that has sent no line makes room, one that has does not`()
        async throws
    {
        let folder = try Files.createTemporaryDirectory()
        defer { try? Files.removeTree(folder) }
        let path = folder + "/socket"
        var limits = LineLimits()
        limits.clients = 3
        let server = try LineServer(on: try ListeningSocket(at: path), limits: limits) { client in
            Echo(client)
        }
        let thread = WorkThread()
        let ended = AsyncStream<Void>.makeStream()
        thread.run {
            try? server.run()
            return { ended.continuation.finish() }
        }
        try await Self.elsewhere {
            DaybookSystem.Process.ignoreBrokenPipes()
            let speaker = try LineConnection(to: path)
            #expect(try speaker.call([1]) == [1])
            let silent = try (0..<100).map { _ in try Silent(path) }
            let late = try LineConnection(to: path)
            #expect(try late.call([2]) == [2])
            #expect(try speaker.call([3]) == [3])
            #expect(throws: SystemError.self) { try silent[0].connection.call([4]) }
            #expect(try silent[99].connection.call([5]) == [5])
            // All three have spoken: there is no place for a fourth.
            #expect(throws: SystemError.self) { try LineConnection(to: path).call([6]) }
            #expect(try late.call([7]) == [7])
        }
        server.stop(after: 0)
        for await _ in ended.stream {}
    }

    private static func elsewhere(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try body() })
            }
        }
    }
}

/// A client that sends nothing, for as long as this value lives.
private final class Silent {
    let connection: LineConnection

    init(_ path: String) throws { connection = try LineConnection(to: path) }
}

/// Answers each line with itself.
private final class Echo: LineHandler {
    private let client: LineClient

    init(_ client: LineClient) { self.client = client }

    func received(_ line: WipedBytes) {
        client.send(line)
        client.finished()
    }

    func receivedLongLine() {}

    func closed() {}
}
