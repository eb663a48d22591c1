import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookReplay
import TestSupport

@testable import Daybook

/// A store that a program with engine 10 has used, and then a newer program with engine 11.
///
/// Both do the same, and engine 11 has another sentence in a prompt, another limit and another
/// outcome. A request waits from one to the other.
final class TwoEngines: Sendable {
    /// The newer program's engine, as the recipe has it made.
    static let eleven = Rules(11, after: .ten) { rules in
        rules.sentences.givesAddress = "The sender gets to know an address that nobody has used."
        rules.limits.paymentLink = 80
        rules.outcomes.coalesces = { _ in false }
    }
    /// The engines that the newer program knows.
    static let newer = Engines([.ten, eleven])

    /// The store's folder, which nobody has open.
    let home: SharedHome
    /// The log's events, and the digest of the state after them.
    let records: [EventRecord]
    let digest: Bytes
    /// The log's export.
    let exported: String
    /// The request that the older program received, and the newer one approved.
    let waiting: RequestID
    /// The payments that each program made.
    let paid: (old: RequestID, new: RequestID)

    init() async throws {
        let home = try await SharedHome.funded([.dash])
        let old = try await Self.use(try home.open(), "old", paying: 1)
        waiting = try await Self.receiveWaiting(try home.open())
        let new = try await Self.use(try home.open(knowing: Self.newer), "new", paying: 2)
        paid = (old, new)
        exported = home.folder + "/both.daybook"
        (records, digest) = try await Self.finish(
            try home.open(knowing: Self.newer), approving: waiting, exportingTo: exported)
        self.home = home
    }

    /// Receives a link twice, one that is long, and a payment, which is approved.
    private static func use(
        _ store: Store, _ name: String, paying amount: Int
    ) async throws -> RequestID {
        let link = "dashwallet://request=address&sender=\(name)"
        let first = try await store.receive(link)
        _ = try await store.receive(link)
        _ = try await store.approve(first.id)
        _ = try await store.receive("\(link)&message=\(String(repeating: "x", count: 40))")
        let payment = try await store.receive(
            "dashwallet://pay=\(Flow.dash)&amount=\(amount)&sender=\(name)")
        _ = try await store.approve(payment.id)
        _ = try await store.mine(1)
        return payment.id
    }

    private static func receiveWaiting(_ store: Store) async throws -> RequestID {
        try await store.receive("dashwallet://request=address&sender=waiting").id
    }

    private static func finish(
        _ store: Store, approving id: RequestID, exportingTo path: String
    ) async throws -> ([EventRecord], Bytes) {
        _ = try await store.approve(id)
        _ = try await store.export(LogSelection(), to: path)
        return (try await store.allRecords(), try await store.liveDigest())
    }

    /// Decides a log again as a program with some engines does.
    static func replay(_ records: [EventRecord], knowing engines: Engines) -> Replayer {
        var replayer = Replayer(decide: Links.decider(by: engines).decide)
        for record in records { replayer.feed(record) }
        replayer.finish()
        return replayer
    }

    /// Verifies a log as a program with some engines does.
    static func verify(
        _ records: [EventRecord], knowing engines: Engines
    ) throws -> Verification {
        var verifier = try LogVerifier(logID: records[0].logID, by: engines)
        for record in records { verifier.feed(record.bytes) }
        return verifier.finish()
    }

    /// Asks a program with some engines what another decision had led to.
    static func whatIf(
        _ records: [EventRecord], _ id: RequestID, _ decision: DecisionMade.Decision,
        knowing engines: Engines
    ) throws -> WhatIf.Result {
        let decider = Links.decider(by: engines)
        var question = WhatIf(request: id, decision, by: engines, decide: decider.decide)
        for record in records { try question.feed(record) }
        return try question.finish()
    }
}

extension SharedHome {
    /// Opens the store as a program that knows these engines does.
    func open(knowing engines: Engines) throws -> Store {
        let scrypt = Scrypt.Parameters.cheap
        let decider = Links.decider(by: engines)
        var parts = StoreParts(at: path, sealing: scrypt)
        parts.engines = engines
        parts.decide = { decider.decide($0, $1) }
        var options = StoreOptions()
        options.scrypt = scrypt
        return try Store(parts, at: path, frontEnd: "tests", options: options)
    }
}
