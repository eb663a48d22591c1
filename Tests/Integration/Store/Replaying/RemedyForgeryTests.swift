import DaybookChains
import DaybookEncoding
import DaybookLog
import DaybookReplay
import Testing

@testable import Daybook
@testable import DaybookDomain

/// Logs that claim a bump or a cancellation which nobody asked for, or which pays somebody else.
struct RemedyForgeryTests {
    private static let made = Task { try await record() }

    /// A payment that is mined, one that is bumped, and one that is cancelled.
    private static func record() async throws -> [EventRecord] {
        let store = try TemporaryStore().open()
        let wallet = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        try await store.mine(6)
        let text = "dashwallet://pay=\(Flow.dash)&sender=myapp&amount="
        _ = try await store.approve(try await store.receive(text + "1").id)
        try await store.mine()
        let hanging = try await store.receive(text + "2")
        _ = try await store.approve(hanging.id)
        _ = try await store.approve(try await store.bump(hanging.id).id)
        try await store.mine()
        let stuck = try await store.receive(text + "3")
        try await store.setFault(
            .refuseNext(code: -26, message: "min relay fee not met, 100 < 225"), on: .dash)
        _ = try await store.approve(stuck.id)
        _ = try await store.approve(try await store.cancel(stuck.id).id)
        try await store.mine()
        return try await store.allRecords()
    }

    private func places(_ type: String, _ records: [EventRecord]) -> [Int] {
        records.indices.filter { records[$0].type == type }
    }

    /// The prepared transactions of the bump and of the cancellation.
    private func prepared(_ records: [EventRecord]) throws -> [Int] {
        let requests = Set(places("remedy.requested", records).map { records[$0].position })
        let found = places("transaction.prepared", records).filter {
            requests.contains(records[$0].request ?? 0)
        }
        try #require(found.count == 2)
        return found
    }

    private func altered(
        _ records: [EventRecord], at place: Int,
        _ change: (inout UTXOTransaction, inout UInt64) -> Void
    ) throws -> [EventRecord] {
        guard case .transactionPrepared(let data)? = try records[place].event()?.payload
        else { throw Missing() }
        var transaction = try UTXOTransaction.parse(data.bytes)
        var fee = try #require(UInt64(exactly: data.fee))
        change(&transaction, &fee)
        let forged = TransactionPrepared(
            wallet: data.wallet, bytes: transaction.serialized(), inputs: data.inputs,
            changePath: data.changePath, fee: UInt256(fee), reserves: [])
        var log = records
        log[place] = records[place].altered(data: try CBOR.decode(forged.encoded()))
        return log
    }

    private struct Missing: Error {}

    /// The audit's first word, while the decider does not say the same as the log.
    private func verdict(_ log: [EventRecord], at place: Int) throws -> String? {
        #expect(try replay(log).divergences.first?.position.number == UInt64(place))
        let first = try AuditTests.violations(log).first
        return first.map { "\($0.rule.rawValue) at \($0.position): \($0.message)" }
    }

    @Test func `the session itself is sound`() async throws {
        let records = try await Self.made.value
        #expect(try replay(records).divergences == [])
        #expect(try AuditTests.violations(records) == [])
        #expect(places("request.cancelled", records).count == 1)
    }

    @Test func `a bump or a cancellation that pays somebody else is found`() async throws {
        let records = try await Self.made.value
        for place in try prepared(records) {
            let log = try altered(records, at: place) { transaction, _ in
                transaction.outputs[0].script[4] ^= 1
            }
            let verdict = try verdict(log, at: place)
            #expect(verdict?.hasPrefix("paysSomethingElse at \(place): it pays") == true)
        }
    }

    @Test func `a bump or a cancellation that spends a coin of another payment is found`()
        async throws
    {
        let records = try await Self.made.value
        // The first payment is mined: what it spent is no coin of the others.
        let first = try #require(places("transaction.prepared", records).first)
        let coin = try outpoint(of: records[first])
        let words = ["it spends no output of the payment", "it spends no coin of the payment"]
        for (place, words) in zip(try prepared(records), words) {
            let log = try altered(records, at: place) { transaction, _ in
                transaction.inputs[0].outpoint = coin
            }
            #expect(try verdict(log, at: place) == "paysSomethingElse at \(place): \(words)")
        }
    }

    @Test func `an import refuses a log with a forged bump or cancellation`() async throws {
        let records = try await Self.made.value
        let first = try #require(places("transaction.prepared", records).first)
        let coin = try outpoint(of: records[first])
        let scene = try await TransferScene()
        let now = try #require(records.last).time
        for place in try prepared(records) {
            let forged = [
                try altered(records, at: place) { transaction, _ in
                    transaction.outputs[0].script[4] ^= 1
                },
                try altered(records, at: place) { transaction, _ in
                    transaction.inputs[0].outpoint = coin
                },
            ]
            for log in forged {
                let store = try OtherStore().home.open(clock: { now })
                let path = try scene.write("forged.daybook", records: log)
                let error = await expectCode("importDiverges") {
                    try await store.import(from: path)
                }
                #expect(error?.position?.number == UInt64(place))
                #expect(error?.kind == .refused)
                #expect(try await store.allRecords().isEmpty)
            }
        }
        let store = try OtherStore().home.open(clock: { now })
        let path = try scene.write("sound.daybook", records: records)
        #expect(try await store.import(from: path).notChecked == 0)
    }

    private func outpoint(of record: EventRecord) throws -> Outpoint {
        guard case .transactionPrepared(let data)? = try record.event()?.payload,
            let outpoint = data.inputs.first?.outpoint
        else { throw Missing() }
        return outpoint
    }

    @Test func `a fee that takes a part of the change is found`() async throws {
        let records = try await Self.made.value
        for place in try prepared(records) {
            let log = try altered(records, at: place) { transaction, fee in
                fee += transaction.outputs[0].amount - 546
                transaction.outputs[0].amount = 546
            }
            let verdict = try verdict(log, at: place)
            #expect(verdict?.hasPrefix("paysSomethingElse at \(place): ") == true)
        }
    }

    @Test func `a remedy of another request than was asked about is not replayed`() async throws {
        let records = try await Self.made.value
        let other = try #require(places("request.received", records).first)
        for place in places("remedy.requested", records) {
            guard case .remedyRequested(let data)? = try records[place].event()?.payload
            else { throw Missing() }
            let forged = RemedyRequested(
                remedy: data.remedy, payment: RequestID(records[other].position),
                frontEnd: data.frontEnd)
            var log = records
            log[place] = records[place].altered(data: try CBOR.decode(forged.encoded()))
            let first = try #require(try replay(log).divergences.first)
            #expect(first.position.number == UInt64(place + 1))
        }
    }

    @Test func `a payment that nothing in a block cancels is not cancelled`() async throws {
        let records = try await Self.made.value
        let place = try #require(places("request.cancelled", records).first)
        let bump = try #require(places("remedy.requested", records).first)
        let forged = RequestCancelled(by: RequestID(records[bump].position), wasAnswered: false)
        var log = records
        log[place] = records[place].altered(data: try CBOR.decode(forged.encoded()))
        #expect(
            try verdict(log, at: place)
                == "notApproved at \(place): no transaction of ours that cancels it is in a block")
    }

    @Test func `a second beginning of a request is found`() async throws {
        let records = try await Self.made.value
        let remedies = places("remedy.requested", records)
        let place = try #require(remedies.last)
        var log = records
        log[place] = records[place].altered(request: records[try #require(remedies.first)].position)
        let first = try #require(try AuditTests.violations(log).first)
        #expect(first.rule == .unknownRequest && first.position.number == UInt64(place))
    }
}
