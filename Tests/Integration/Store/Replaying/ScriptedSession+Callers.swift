import DaybookChains
import DaybookEncoding
import Foundation
import Testing

@testable import Daybook
@testable import DaybookNodes

/// Coins that are out of sight stay held, payments that wait for a lock end, and callers have their
/// bounds.
extension ScriptedSession {
    private static let pay = "dashwallet://pay=\(dash)"

    /// Payments of coins that a reorganisation takes away for good, and one that a node forgets.
    func lostCoins() async throws {
        let store = try folder.open()
        let wallet = try #require(try await store.wallets().first { $0.chain == .dash })
        let script = try #require(UTXOAddress(wallet.address, chain: .dash)).scriptPubKey
        try await store.chains.utxo(.dash) { sandbox, now in
            sandbox.mine(4, at: now, to: Script(script))
            sandbox.mine(100, at: now)
        }
        _ = try await store.sync()
        let waiting = try await store.receive("\(Self.pay)&amount=100&req-IS=1&sender=shop")
        try await store.setFault(.withholdLocks, on: .dash)
        #expect(try await store.approve(waiting.id).status == .sent)
        try await approve("\(Self.pay)&amount=150&sender=myapp", in: store)
        for amount in [200, 300] {
            let request = try await store.receive("\(Self.pay)&amount=\(amount)&sender=myapp")
            try await store.setFault(.loseNext, on: .dash)
            #expect(try await store.approve(request.id).status == .signed)
        }
        let isDone = try await store.chains.utxo(.dash) { sandbox, now in
            sandbox.switches = .init()
            return sandbox.reorganise(104, at: now)
        }
        try #require(isDone)
        _ = try await store.sync()
        #expect(try await store.request(waiting.id).status == .sent)
        for _ in 0..<4 {
            try await store.setFault(.refuseNext(code: -26, message: "dust"), on: .dash)
            _ = try await store.sync()
        }
        #expect(try await store.request(waiting.id).status == .failed)
        try await forget(store)
        try await refusedInARow(store)
    }

    /// The answer to a send is lost, and then the node shows the coin as unspent again.
    private func forget(_ store: Store) async throws {
        let request = try await store.receive("\(Self.pay)&amount=0.7&sender=myapp")
        let before = try await rows(store)
        try await store.setFault(.loseNextAnswer, on: .dash)
        #expect(try await store.approve(request.id).status == .signed)
        try await set(before, store)
        _ = try await store.sync()
        #expect(try await store.request(request.id).status == .completed)
        try await store.mine(1)
    }

    /// A node forgets a payment and takes it no more, of which another one spends the change.
    private func refusedInARow(_ store: Store) async throws {
        let wallet = try await store.addWallet(
            .hexKey(Passphrase(String(repeating: "0", count: 63) + "9")), chain: .dash,
            sealedBy: Passphrase("correct horse")
        ).wallet.id
        _ = try await store.fundFromFaucet(wallet, amount: "100000000")
        try await store.mine(1)
        let before = try await rows(store)
        var ids: [RequestID] = []
        for (amount, fault) in [("0.11", Store.Fault.loseNextAnswer), ("0.12", .loseNext)] {
            ids.append(try await store.receive("\(Self.pay)&amount=\(amount)&sender=myapp").id)
            try await store.setFault(fault, on: .dash)
            #expect(try await store.approve(ids.last ?? 0, wallet: wallet).status == .signed)
            // The first one is sent once more, and its caller is told.
            if ids.count == 1 { try await store.resume() }
        }
        try await set(before, store)
        try await store.setFault(.refuseNext(code: -26, message: "dust"), on: .dash)
        _ = try await store.sync()
        // Its caller was told that it is paid.
        let lost = try await store.request(ids[0])
        #expect(lost.status == .failed && lost.refusal == "dropped" && lost.wasToldPaid)
        #expect(try await store.request(ids[1]).status == .failed)
        try await store.setFault(.none, on: .dash)
    }

    /// All that the Dash chain is made of.
    private func rows(_ store: Store) async throws -> [Row] {
        try await store.chains.utxo(.dash) { sandbox, _ in
            sandbox.rows.scan(prefix: [], after: nil, limit: .max)
        }
    }

    private func set(_ rows: [Row], _ store: Store) async throws {
        try await store.chains.utxo(.dash) { sandbox, _ in
            for row in sandbox.rows.scan(prefix: [], after: nil, limit: .max) {
                sandbox.rows.remove(row.key)
            }
            for row in rows { sandbox.rows.set(row.key, row.value) }
        }
    }

    /// One whom the user blocked, one who looks like another, and a flood.
    func callers() async throws {
        folder.turnClock(seconds: 700)
        let settings = URL(filePath: folder.path + "/settings.json")
        let usual = try Data(contentsOf: settings)
        let bounds = #"{"pendingPerSender":2,"pendingInTotal":4,"blockedSenders":["evil"]}"#
        try Data(bounds.utf8).write(to: settings)
        let store = try folder.open()
        _ = try await store.receive("\(Self.pay)&amount=0.01&sender=evil")
        try await approve("\(Self.pay)&amount=0.01&sender=my-app", in: store)
        for (number, sender) in ["flood", "flood", "flood", "some", "more", "most", "myapp"]
            .enumerated()
        {
            _ = try await store.receive("\(Self.pay)&amount=0.1\(number)&sender=\(sender)")
        }
        _ = try await store.receive(
            connect(#"{"id":20,"method":"bind"}"#).replacing("my-app-scheme", with: "stranger"))
        _ = try await store.rejectAll(from: "flood")
        for request in try await store.pending() { _ = try await store.reject(request.id) }
        try usual.write(to: settings)
    }
}
