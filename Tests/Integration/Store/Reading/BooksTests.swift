import DaybookDomain
import DaybookEncoding
import DaybookReplay
import Testing

@testable import Daybook

/// The books of payments, transfers, failed calls, reorganizations and removed wallets.
struct BooksTests {
    private func books(
        _ store: Store, _ wallet: Wallet? = nil
    ) async throws -> [Movement] {
        try await store.withState { Array(Books(of: $0, wallet: wallet?.id)) }
    }

    @Test func `a payment is a row with its fee apart, its sender and its block's time`()
        async throws
    {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let wallet = try await store.addFundedWallet(.dash)
        let link = "\(Flow.all[0].text)&message=for%20tea"
        let paid = try await store.approve(try await store.receive(link).id)
        temporary.wait(seconds: 200)
        try await store.mine(1)
        let entry = try #require(try await store.history(of: wallet.id).entries.first)
        let rows = try await books(store)
        #expect(rows.map(\.kind) == [.receipt, .payment])
        #expect(rows[0].received == UInt256(1_000_000_000) && rows[0].payee == wallet.id)
        let payment = try #require(rows.last)
        #expect(payment.sent == UInt256(150_000_000))
        #expect(MinorAmount(payment.fee) == paid.fee && payment.fee != .zero)
        let times = [payment.date, payment.recorded].map { Timestamp(microseconds: $0) }
        #expect(times == [entry.blockTime, entry.time])
        #expect(payment.date != payment.recorded && payment.position == entry.position)
        #expect(payment.sender == "myapp" && payment.message == "for tea")
        #expect(payment.counterparty == Flow.dash && payment.request == paid.id)
    }

    @Test(arguments: [ChainName.dash, .icon])
    func `a transfer between own wallets is one row, and two where one is outside`(
        _ chain: ChainName
    ) async throws {
        let store = try TemporaryStore().open()
        let payer = try await store.addFundedWallet(chain)
        let payee = try await store.addOtherTestWallet(chain)
        let value = #""value":"0x64""#
        let link = chain == .dash
            ? "dashwallet://pay=\(payee.address)&amount=2&sender=myapp"
            : Self.connect(
                #"{"id":2,"method":"sendICX","params":{"from":"\#(Flow.key1)","#
                    + #""to":"\#(payee.address)",\#(value)}}"#)
        let request = try await store.receive(link)
        try await store.approve(request.id, wallet: payer.id)
        try await store.mine(1)
        _ = try await store.sync()
        let amount = UInt256(chain == .dash ? 200_000_000 : 100)
        let row = try #require(try await books(store).last)
        #expect(row.kind == .transfer && row.payer == payer.id && row.payee == payee.id)
        #expect(row.sent == amount && row.received == amount && row.fee != .zero)
        #expect(try await books(store).count { $0.payee == payee.id } == 1)
        let given = try #require(try await books(store, payer).last)
        #expect(given.kind == .transfer && given.sent == amount && given.received == .zero)
        #expect(given.fee == row.fee && given.wallet == payer.id)
        let got = try await books(store, payee)
        #expect(got.map(\.kind) == [.transfer] && got.map(\.received) == [amount])
        #expect(got.map(\.sent) == [.zero] && got.map(\.fee) == [.zero])
        let lines = try await table(store)
        #expect(lines.last?.contains(",cost,") == true)
        #expect(lines.last?.contains(",transfer,\(request.id),") == true)
    }

    @Test func `a token and the fee that ICX paid are one row`() async throws {
        let store = try TemporaryStore().open()
        _ = try await store.addFundedWallet(.icon)
        let request = try await store.receive(try #require(Flow.all.last).text)
        try await store.approve(request.id)
        try await store.mine(1)
        _ = try await store.sync()
        let rows = try await books(store).filter { $0.request == request.id }
        #expect(rows.map(\.kind) == [.payment] && rows.map(\.sent) == [UInt256(100)])
        #expect(rows.map(\.asset.name) == [Flow.token])
        #expect(rows[0].fee != .zero)
        #expect(rows[0].counterparty == Flow.key2)
    }

    @Test func `an undone and confirmed payment stands once, with its new block's time`()
        async throws
    {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        _ = try await store.addFundedWallet(.dash)
        try await store.approve(try await store.receive(Flow.all[0].text).id)
        try await store.mine(1)
        let before = try await books(store)
        temporary.wait(seconds: 3600)
        try await store.reorganise(.dash, depth: 1)
        try await store.mine(1)
        let after = try await books(store)
        #expect(after.map(\.txid) == before.map(\.txid) && after.count == 2)
        #expect(after[1].date > before[1].date && after[1].recorded == before[1].recorded)
        #expect(after.map(\.sent) == before.map(\.sent))
        try await store.expectCleanReplay()
    }

    @Test func `a removed wallet takes its coins out of the books`() async throws {
        let store = try TemporaryStore().open()
        let wallet = try await store.addFundedWallet(.dash)
        try await store.removeWallet(wallet.id)
        let rows = try await books(store)
        #expect(rows.map(\.kind) == [.receipt, .transfer])
        #expect(rows[1].sent == rows[0].received && rows[1].payee == nil)
        #expect(try await table(store).last?.hasPrefix("20") == true)
    }

    private static func connect(_ json: String) -> String {
        let data = Base64.encode(Array(json.utf8)).replacing("=", with: "%3D")
        return "iconex://?data=\(data)&caller=myapp%3A%2F%2F"
    }

    private func table(_ store: Store) async throws -> [Substring] {
        let output = ExportedBytes()
        try await store.export(as: .csv) { output.bytes += $0 }
        return String(decoding: output.bytes, as: UTF8.self).split(separator: "\r\n")
    }
}

/// The statement of a period, whose figures add up.
struct PeriodStatementTests {
    @Test func `the balances of both ends differ by the movements`() async throws {
        let temporary = try TemporaryStore()
        let store = try temporary.open()
        let wallet = try await store.addFundedWallet(.dash)
        _ = try await store.addFundedWallet(.icon)
        temporary.wait(seconds: 100)
        let begin = Timestamp(microseconds: temporary.now.withLock { $0 })
        temporary.wait(seconds: 100)
        let paid = try await store.approve(try await store.receive(Flow.all[0].text).id)
        try await store.mine(1)
        temporary.wait(seconds: 100)
        let end = Timestamp(microseconds: temporary.now.withLock { $0 })
        let whole = try await store.statement(from: begin, to: end)
        let accounts = try #require(whole.json["wallets"]?.arrayValue)
        #expect(accounts.count == 3)
        let dash = try #require(accounts.first { $0["wallet"] == .int(wallet.id) })
        let fee = try #require(paid.fee.flatMap { UInt64(exactly: $0) })
        func coins(_ duffs: UInt64) -> JSON {
            .string(DecimalAmount.format(UInt256(duffs), decimals: 8))
        }
        #expect(dash["opening"] == .string("10") && dash["received"] == .string("0"))
        #expect(dash["sent"] == .string("1.5") && dash["fees"] == coins(fee))
        #expect(dash["closing"] == coins(850_000_000 - fee))
        let movements = try #require(whole.json["movements"]?.arrayValue)
        #expect(movements.map { $0["kind"] } == [.string("payment")])
        #expect(movements[0]["balance"] == dash["closing"])
        let own = try await store.statement(from: begin, to: end, wallet: wallet.id)
        #expect(own.json["wallets"]?.arrayValue == [dash])
        let later = try await store.statement(from: end, to: end + 1)
        let rest = later.json["wallets"]?.arrayValue?.first { $0["wallet"] == .int(wallet.id) }
        #expect(rest?["opening"] == dash["closing"] && rest?["closing"] == dash["closing"])
        #expect(later.json["movements"]?.arrayValue == [])
        let exported = try await store.export(as: .daybook) { _ in }
        #expect(whole.root == exported.root && whole.json["events"] == .int(exported.events))
    }

    @Test func `a period that is empty, or ends before it begins, is refused`() async throws {
        let store = try TemporaryStore().open()
        for end in [5, 4] as [Timestamp] {
            await expectCode("invalidPeriod") { _ = try await store.statement(from: 5, to: end) }
        }
    }
}

extension Store {
    fileprivate func withState<Value>(_ body: (State) throws -> Value) throws -> Value {
        try journal.read(body)
    }
}
