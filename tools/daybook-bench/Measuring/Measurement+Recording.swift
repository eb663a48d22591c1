import Daybook
import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import DaybookSystem

/// Measurements of how long a link takes until it is durable.
extension Measurement {
    /// Recording links while all nodes answer.
    static let recording = Measurement(name: "recording") { place in
        try await recording(in: place, nodesAnswer: true)
    }

    /// The same while no node ever answers, and a payment waits to be sent.
    static let recordingSilent = Measurement(name: "recording/silent") { place in
        try await recording(in: place, nodesAnswer: false)
    }

    private static func recording(in place: Place, nodesAnswer: Bool) async throws -> Result {
        let path = place.folder + "/recording"
        try Store.create(at: path)
        let store = try open(path, .answering)
        let wallet = try await fundedWallet(in: store)
        try await store.setFault(.loseNext, on: .dash)
        let unsent = try await store.receive(link(0))
        let shown = try await store.prompt(for: unsent.id, wallet: wallet)
        _ = try await store.approve(unsent.id, shown: shown, wallet: wallet, unlockedBy: secret)
        try await store.setFault(.none, on: .dash)

        let (recorded, note) = AsyncStream<UInt64>.makeStream()
        let measured = try open(path, nodesAnswer ? .answering : .silent) { place in
            if Text.equal(place, "request recorded") { note.yield(Clock.monotonicMicroseconds()) }
        }
        var ends = recorded.makeAsyncIterator()
        var times: [UInt64] = []
        for number in 1...max(1, min(place.limit, 200)) {
            let start = Clock.monotonicMicroseconds()
            let receiving = Task { try await measured.receive(link(number)) }
            guard let end = await ends.next() else { throw LogWriteError("nothing was recorded") }
            times.append((end - start) * 1_000)
            if !nodesAnswer { receiving.cancel() }
            _ = try await measured.reject(receiving.value.id)
        }
        times.sort()
        return Result(
            count: times.count, nanoseconds: times.reduce(0, +),
            p99: times[(times.count - 1) * 99 / 100])
    }

    private static func link(_ number: Int) -> String {
        "dashwallet://pay=\(payee)&amount=0.\(1000 + number)&sender=shop"
    }

    private enum Nodes { case answering, silent }

    private static func open(
        _ path: String, _ nodes: Nodes, probe: (@Sendable (String) -> Void)? = nil
    ) throws -> Store {
        var options = StoreOptions()
        options.scrypt = Scrypt.Parameters(n: 16, r: 1, p: 1)
        options.probe = probe
        var parts = StoreParts(at: path, sealing: options.scrypt)
        if nodes == .silent { parts.client = { _, _, _ in SilentNode() } }
        return try Store(parts, at: path, frontEnd: "daybook-bench", options: options)
    }
}

/// A node that never answers; it is asked until the task is cancelled.
private struct SilentNode: ChainClient {
    private static let silence = ChainFailure(.noAnswer, "it never answers")

    func observe(
        _ query: ChainQuery, progress: ChainProgress?
    ) async throws(ChainFailure) -> ChainSnapshot {
        await wait()
        throw Self.silence
    }

    func transactions(_ ids: [Bytes]) async throws(ChainFailure) -> [Bytes] {
        await wait()
        throw Self.silence
    }

    func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered {
        await wait()
        return BroadcastAnswered(answer: .unknown, message: "no answer")
    }

    private func wait() async {
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
    }
}
