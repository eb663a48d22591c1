import DaybookChains
import DaybookEncoding
import Foundation
import NodeServer
import Testing

@testable import Daybook

/// One thing in a node's answer that is not understood, and all else that is recorded.
struct SetAsideTests {
    /// A store with a wallet that has three coins in one block each.
    private struct Scene {
        let server: NodeServer
        let temporary: TemporaryStore
        let store: Store
        let wallet: Wallet

        init() async throws {
            server = try NodeServer(.dash)
            temporary = try TemporaryStore()
            store = try temporary.open()
            wallet = try await store.addTestWallet(.dash, network: .regtest)
            try await store.setNode(.dash, .regtest, url: server.url)
            _ = try server.fund(wallet.address, 300_000_000)
            server.mine(6)
            _ = try await store.sync()
        }

        /// Makes one transaction's bytes others than those of its id.
        func spoil(_ txid: TransactionID) {
            server.misbehave(
                .invented { params, truth in
                    guard params.arrayValue?.first == .string(txid.hex) else { return truth }
                    return truth.map { $0.mapped(member: "hex") { _ in .string("0400") } }
                }, on: "getrawtransaction")
        }

        func confirmed() async throws -> MinorAmount? {
            try await store.balances().first?.confirmed
        }

        /// The findings of `doctor` about chains, in a copy: a process opens a log only once.
        func findings() throws -> [StoreFinding] {
            let copy = temporary.path + "-copy"
            try FileManager.default.copyItem(atPath: temporary.path, toPath: copy)
            defer { try? FileManager.default.removeItem(atPath: copy) }
            return try Store.examine(at: copy).filter { $0.about == "chains" }
        }
    }

    @Test func `a transaction that is not understood stops nothing and is read again`()
        async throws
    {
        let scene = try await Scene()
        let odd = try scene.server.fund(scene.wallet.address, 1_000_000)
        scene.server.mine()
        scene.spoil(odd)
        let later = try scene.server.fund(scene.wallet.address, 20_000_000)
        scene.server.mine()
        let round = try await scene.store.sync()
        #expect(round.setAside.map(\.transaction) == [odd.hex])
        #expect(round.setAside.map(\.kind) == ["transaction"])
        #expect(round.setAside[0].sentence.contains("is set aside: getrawtransaction.hex is not"))
        #expect(try await scene.confirmed() == "320000000")
        // Each door says so, also where nothing is new, and in another process.
        #expect(try await scene.store.sync().setAside == round.setAside)
        #expect(try scene.findings().map(\.status) == [.warning])
        let node = try await scene.store.checkNodes(.dash, .regtest)[0]
        #expect(node.notes.contains(round.setAside[0].sentence))
        try await scene.store.expectCleanReplay()
        // Own payments go on.
        let request = try await scene.store.receive(
            "dashwallet://pay=yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf&amount=1&sender=myapp")
        let shown = try #require(request.prompt)
        let done = try await scene.store.approve(
            request.id, shown: shown, unlockedBy: Passphrase("correct horse"))
        #expect(done.status == .completed)
        scene.server.mine()
        _ = try await scene.store.sync()
        #expect(try await scene.store.balances().first?.reserved == "0")
        // Once it is understood it counts, although it is older than what is asked for.
        scene.server.behave()
        let healed = try await scene.store.sync()
        #expect(healed.setAside.isEmpty)
        #expect(try scene.findings().isEmpty)
        let history = try await scene.store.history(of: scene.wallet.id, limit: 50)
        #expect(history.entries.contains { $0.transaction == odd.hex })
        #expect(history.entries.contains { $0.transaction == later.hex })
        try await scene.store.expectCleanReplay()
    }

    @Test func `the known facts of a transaction stay when it is not understood any more`()
        async throws
    {
        let scene = try await Scene()
        let known = try scene.server.fund(scene.wallet.address, 1_000_000, mined: false)
        _ = try await scene.store.sync()
        #expect(try await scene.store.balances().first?.unconfirmed == "1000000")
        scene.server.mine()
        scene.spoil(known)
        // Another store's client has kept no bytes, and has to read them again.
        try await scene.store.setNode(
            .dash, .regtest, url: scene.server.url, user: "other",
            password: Passphrase("other"))
        try FileManager.default.removeItem(atPath: scene.temporary.path + "/cache")
        let round = try await scene.store.sync()
        #expect(round.setAside.map(\.transaction) == [known.hex])
        let balance = try #require(try await scene.store.balances().first)
        #expect(balance.unconfirmed == "1000000")
        try await scene.store.expectCleanReplay()
    }

    @Test func `without a usable estimate the least that the node takes is paid`() async throws {
        let scene = try await Scene()
        let link = "dashwallet://pay=yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf&amount=1&sender="
        for (number, (fee, isAside)) in [
            (JSON.number("1e30"), true), (.number("-1"), false), (.null, false),
            (.string("0.1"), true),
        ].enumerated() {
            scene.server.behave()
            scene.server.misbehave(
                .altered { $0.mapped(member: "feerate") { _ in fee } }, on: "estimatesmartfee")
            let round = try await scene.store.sync()
            #expect(round.setAside.map(\.kind) == (isAside ? ["fee rate"] : []), "\(fee)")
            let request = try await scene.store.receive(link + "app\(number)")
            #expect(
                request.prompt?["feeRate"]
                    == "The node gave no estimate. This is the lowest rate that it accepts: 1000"
                    + " duffs per 1000 bytes.")
            #expect(request.prompt?["fee"] == "0.00000226")
        }
        scene.server.behave()
        scene.server.misbehave(
            .altered { $0.mapped(member: "feerate") { _ in .number("2e-05") } },
            on: "estimatesmartfee")
        #expect(try await scene.store.sync().setAside.isEmpty)
        let request = try await scene.store.receive(link + "last")
        #expect(request.prompt?["feeRate"] == nil)
        #expect(request.prompt?["fee"] == "0.00000452")
        try await scene.store.expectCleanReplay()
    }

    @Test func `a fee above the highest is no lack of money, and the highest can be set`()
        async throws
    {
        let scene = try await Scene()
        scene.server.misbehave(
            .altered { $0.mapped(member: "feerate") { _ in .number("0.02") } },
            on: "estimatesmartfee")
        _ = try await scene.store.sync()
        let request = try await scene.store.receive(
            "dashwallet://pay=yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf&amount=1&sender=myapp")
        let problem = "the fee is higher than may be paid: the node asks for 2000000 duffs for 1000"
            + " bytes; at most 1000000 are paid"
        #expect(request.prompt?.problem == problem)
        let shown = try #require(request.prompt)
        let refused = await #expect(throws: DaybookError.self) {
            try await scene.store.approve(
                request.id, shown: shown, unlockedBy: Passphrase("correct horse"))
        }
        #expect(refused?.code == .feeTooHigh)
        let dear = try await scene.store.receive(
            "dashwallet://pay=yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf&amount=3&sender=myapp")
        #expect(dear.prompt?.problem == problem)
        try await scene.store.set("maxFeeRate", to: "3000000")
        let now = try await scene.store.prompt(for: request.id)
        #expect(now.problem == nil)
        #expect(now["fee"] == "0.00452")
        // With the higher limit the other one lacks money for its fee, and says that.
        #expect(
            try await scene.store.prompt(for: dear.id).problem
                == "the balance does not cover the fee: at most 2.99616 DASH can be paid now")
        let done = try await scene.store.approve(
            request.id, shown: now, unlockedBy: Passphrase("correct horse"))
        #expect(done.status == .completed)
        try await scene.store.expectCleanReplay()
        // An audit makes prompts again under the limit of the decision's session.
        #expect(try AuditTests.violations(try await scene.store.allRecords()) == [])
    }

    @Test func `a chain that can't be read says since when, at each door`() async throws {
        let scene = try await Scene()
        let records = try await scene.store.allRecords()
        let read = try #require(records.last { $0.type == "chain.observed" }).time
        scene.server.stop()
        let round = try await scene.store.syncReachable()
        #expect(round.problems.count == 1)
        let outage = try #require(try await scene.store.outages().first)
        #expect(outage.lastRead == Timestamp(microseconds: read))
        #expect(outage.reason == "unreachable")
        #expect(try await scene.store.balances().map(\.outage) == [outage])
        #expect(try scene.findings().map(\.message) == [outage.sentence])
        #expect(outage.sentence.hasPrefix("dash regtest has not been read since "))
        // One event tells it, however often it fails.
        let count = try await scene.store.allRecords().count
        _ = try await scene.store.syncReachable()
        #expect(try await scene.store.allRecords().count == count)
        try scene.server.start()
        _ = try await scene.store.sync()
        #expect(try await scene.store.outages().isEmpty)
        #expect(try await scene.store.balances().map(\.outage) == [nil])
        #expect(try scene.findings().isEmpty)
        try await scene.store.expectCleanReplay()
    }
}
