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
        let (recorded, note) = AsyncStream<UInt64>.makeStream()
        let isSilent = Monitor(false)
        let store = try open(path, isSilent) { place in
            guard Text.equal(place, "request recorded") else { return }
            note.yield(Clock.monotonicMicroseconds())
        }
        let wallet = try await fundedWallet(in: store)
        try await store.setFault(.loseNext, on: .dash)
        let unsent = try await store.receive(link(0))
        let shown = try await store.prompt(for: unsent.id, wallet: wallet)
        _ = try await store.approve(unsent.id, shown: shown, wallet: wallet, unlockedBy: secret)
        try await store.setFault(.none, on: .dash)

        isSilent.change { $0 = !nodesAnswer }
        var ends = recorded.makeAsyncIterator()
        _ = await ends.next()
        var times: [UInt64] = []
        for number in 1...max(1, min(place.limit, 200)) {
            let start = Clock.monotonicMicroseconds()
            let receiving = Task { try await store.receive(link(number)) }
            guard let end = await ends.next() else { throw LogWriteError("nothing was recorded") }
            times.append((end - start) * 1_000)
            if !nodesAnswer { receiving.cancel() }
            _ = try await store.reject(receiving.value.id)
        }
        times.sort()
        return Result(
            count: times.count, nanoseconds: times.reduce(0, +),
            p99: times[(times.count - 1) * 99 / 100])
    }

    private static func link(_ number: Int) -> String {
        "dashwallet://pay=\(payee)&amount=0.\(1000 + number)&sender=shop"
    }

    private static func open(
        _ path: String, _ isSilent: Monitor<Bool>, probe: @escaping @Sendable (String) -> Void
    ) throws -> Store {
        var options = StoreOptions()
        options.scrypt = Scrypt.Parameters(n: 16, r: 1, p: 1)
        options.probe = probe
        var parts = StoreParts(at: path, sealing: options.scrypt)
        parts.client = { _, _, embedded in
            MaybeSilentNode(embedded: embedded, isSilent: isSilent)
        }
        return try Store(parts, at: path, frontEnd: "daybook-bench", options: options)
    }
}

/// A node that can fall silent: then a question ends when its task is cancelled.
private struct MaybeSilentNode: ChainClient {
    let embedded: any ChainClient
    let isSilent: Monitor<Bool>

    func observe(
        _ query: ChainQuery, progress: ChainProgress?
    ) async throws(ChainFailure) -> ChainSnapshot {
        if await isLost() { throw ChainFailure(.noAnswer, "it never answers") }
        return try await embedded.observe(query, progress: progress)
    }

    func transactions(_ ids: [Bytes]) async throws(ChainFailure) -> [Bytes] {
        if await isLost() { throw ChainFailure(.noAnswer, "it never answers") }
        return try await embedded.transactions(ids)
    }

    func times(
        of blocks: [NamedBlock], below tip: ChainQuery.Tip
    ) async throws(ChainFailure) -> BlockTimes {
        if await isLost() { throw ChainFailure(.noAnswer, "it never answers") }
        return try await embedded.times(of: blocks, below: tip)
    }

    func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered {
        if await isLost() { return BroadcastAnswered(answer: .unknown, message: "no answer") }
        return await embedded.broadcast(bytes, txid: txid)
    }

    /// Returns true when a silent node's question is given up, and false if the node answers.
    private func isLost() async -> Bool {
        guard isSilent.change({ $0 }) else { return false }
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
        return true
    }
}
