import DaybookEncoding
import Foundation
import DaybookSystem
import Testing

@testable import DaybookPage

/// Readers of the page's events that are slow, or that never read.
struct ChangesReaderTests {
    @Test func `a slow reader holds nobody up, and is told of each change once`() async throws {
        try await PageScene.use { scene in
            let session = try scene.session()
            let reader = try RawClient(scene.port, bufferBytes: 2048)
            // HTTP/1.0 has no chunks, whose lengths would stand among the events.
            reader.send(
                "GET /changes?after=-1 HTTP/1.0\r\nHost: \(scene.host)\r\n\(session)\r\n\r\n")
            var text = ""
            for number in 0..<40 {
                // Each is refused, which is two events.
                try await scene.store.receive("dashwallet://nothing=\(number)")
                text += reader.read(atMost: 64)
                let call = #"{"jsonrpc":"2.0","id":1,"method":"info"}"#
                let answer = try scene.raw("POST", "/rpc", scene.own + [session], body: call)
                #expect(answer.status == 200)
            }
            let last = try await scene.receive()
            let mark = #""what":"request","request":\#(last.id)"#
            while !text.contains(mark) { text += reader.read(atMost: 64) }
            let ids = text.components(separatedBy: "\nid: ").dropFirst(2).compactMap {
                Int($0.prefix { $0 != "\n" })
            }
            #expect(ids.count > 2 && zip(ids, ids.dropFirst()).allSatisfy { $0 < $1 }, "\(ids)")
            let named = text.components(separatedBy: #""what":"request","request":"#).dropFirst()
            let numbers = named.compactMap { Int($0.prefix { $0.isNumber }) }
            let requests = try await scene.store.requests(limit: 100).requests
            #expect(Set(numbers) == Set(requests.map { Int($0.id.number) }))
        }
    }

    @Test func `a reader that never reads is cut off, with one piece waiting for it`() async throws
    {
        let source = EndlessChanges()
        var limits = WebLimits()
        limits.silentSeconds = 1
        let daemon = try #require(WebDaemon(port: 0, limits: limits, handler: source))
        let reader = try RawClient(daemon.port, bufferBytes: 2048)
        reader.send("GET / HTTP/1.1\r\nHost: here\r\n\r\n")
        let sent = await source.sent()
        // The size of two sockets' buffers: a server that kept more would not end.
        #expect(sent > 0 && sent < 16 << 20, "\(sent) bytes")
        await daemon.stop()
        _ = reader
    }
}

/// Sends one piece after the other as fast as its reader takes them.
private final class EndlessChanges: WebHandler {
    private let (ends, end) = AsyncStream<Int>.makeStream()

    /// The bytes that were sent when the connection was closed.
    func sent() async -> Int {
        for await count in ends { return count }
        return 0
    }

    func isOwner(_ request: WebRequest) -> Bool { true }

    func refusal(_ request: WebRequest) -> WebAnswer? { nil }

    func answer(_ request: WebRequest, body: WipedBytes) async -> WebAnswer {
        let stream = EventStream("retry: 1000\n\n")
        let piece = "data: " + String(repeating: "x", count: 1 << 16) + "\n\n"
        let end = end
        stream.send(
            from: Task {
                var count = 0
                while await stream.send(piece) { count += piece.utf8.count }
                end.yield(count)
            })
        return WebAnswer(events: stream)
    }
}
