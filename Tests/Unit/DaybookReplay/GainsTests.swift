import DaybookChains
import DaybookEncoding
import Foundation
import TestSupport
import Testing

@testable import DaybookDomain
@testable import DaybookReplay

/// Gains, compared with those that `Tests/Fixtures/gains/gains.py` computes with fractions.
struct GainsTests {
    private static let year: Range<UInt64> = 1_767_225_600_000_000..<1_798_761_600_000_000
    private static let second: UInt64 = 1_000_000

    /// The short form, or the file that the environment names.
    private static let file = Result {
        let path = ProcessInfo.processInfo.environment["DAYBOOK_GAINS"]
        return try JSON.parse(
            Bytes(Data(contentsOf: path.map { URL(fileURLWithPath: $0) }
                ?? Fixture.url("gains/short.json"))))
    }

    @Test(arguments: Gains.Method.allCases, ["EUR", "JPY", "KWD"])
    func `gains agree with another program's`(_ method: Gains.Method, _ currency: String) throws {
        let file = try Self.file.get()
        let state = try Self.state(file)
        let expected = try #require(file["expected"]?["\(method.rawValue) \(currency)"])
        let gains = Gains(of: state, in: Self.year, currency: currency, by: method)
        let decimals = ["EUR": 2, "JPY": 0, "KWD": 3][currency] ?? 2
        let lines = gains.lines.map { $0.json(decimals) }
        let wanted = expected["lines"]?.arrayValue ?? []
        #expect(lines.count == wanted.count && !lines.isEmpty)
        for (line, wanted) in zip(lines, wanted) { #expect(line == wanted) }
        let missing = gains.missing.map {
            JSON.array([.string($0.asset.name), .int($0.time / Self.second)])
        }
        #expect(JSON.array(missing) == expected["missing"])
    }

    @Test(arguments: ["EUR", "JPY", "KWD"])
    func `the sums of years are those of their parts`(_ currency: String) throws {
        let state = try Self.state(try Self.file.get())
        let all = Gains(of: state, in: 0..<(.max), currency: currency, by: .fifo)
        let rows = GainsByYear(of: state, currency: currency) { _ in true }.rows
        #expect(Set(rows.map(\.key.year)).count > 1 && rows.contains { $0.sum.unpriced > 0 })
        for (key, sum) in rows {
            let parts = all.lines.filter {
                $0.asset == key.asset && Timestamp.day($0.movement.date).hasPrefix(key.year)
            }
            let known = parts.compactMap { part in
                part.gain.map { (gain: $0, proceeds: part.proceeds ?? .zero) }
            }
            let amount = parts.reduce(UInt256.zero) { $0.adding($1.amount) ?? .max }
            #expect(amount == sum.amount && parts.count - known.count == sum.unpriced)
            let gain = known.reduce(ExactRatio.zero) { $0 + $1.gain }
            #expect(gain.text(decimals: 6) == sum.gain.text(decimals: 6))
            let proceeds = known.reduce(ExactRatio.zero) { $0 + $1.proceeds }
            #expect(proceeds.text(decimals: 6) == sum.proceeds.text(decimals: 6))
        }
        #expect(rows.map { $0.sum.unpriced }.reduce(0, +) == all.lines.count { $0.gain == nil })
        let none = GainsByYear(of: state, currency: currency) { _ in false }
        #expect(none.rows.isEmpty)
    }

    @Test func `another year has no gains of this one`() throws {
        let state = try Self.state(try Self.file.get())
        let later = Self.year.upperBound..<(Self.year.upperBound + 1)
        let gains = Gains(of: state, in: later, currency: "EUR", by: .fifo)
        #expect(gains.lines.isEmpty && gains.missing.isEmpty)
    }

    // MARK: - The state

    /// A state whose histories have the movements, and that knows the prices.
    private static func state(_ file: JSON) throws -> State {
        var state = State()
        for (id, chain) in [Chain.dash, .dash, .axe, .axe, .icon].enumerated() {
            state.wallets[WalletID(UInt64(id + 1))] = WalletRow(
                wallet: WalletAdded(
                    chain: chain, network: .sandbox, networkID: chain == .icon ? 3 : nil,
                    label: nil, keys: .single(publicKey: [2, UInt8(id)])))
        }
        for price in file["prices"]?.arrayValue ?? [] {
            let cells = try #require(price.arrayValue)
            let time = UInt64(try #require(cells[3].intValue)) * second
            let key = PriceKey(
                cells[0].stringValue ?? "", in: cells[1].stringValue ?? "", at: time)
            state.prices[key] = PriceRow(try #require(DecimalNumber(cells[2].stringValue ?? "")))
        }
        var counts: [WalletID: UInt64] = [:]
        for (index, movement) in (file["movements"]?.arrayValue ?? []).enumerated() {
            try add(movement, UInt64(index + 1), &counts, to: &state)
        }
        return state
    }

    private static func add(
        _ movement: JSON, _ number: UInt64, _ counts: inout [WalletID: UInt64],
        to state: inout State
    ) throws {
        func amount(_ name: String) throws -> UInt256 {
            try #require(movement[name]?.stringValue.flatMap { UInt256(decimal: $0) })
        }
        func wallet(_ name: String) -> WalletID {
            WalletID(UInt64(movement[name]?.intValue ?? 0))
        }
        let asset = movement["asset"]?.stringValue ?? ""
        let time = UInt64(movement["time"]?.intValue ?? 0) * second
        let txid = MadeUpID.of(number)
        func note(_ wallet: WalletID, _ amount: SignedAmount, _ txid: Bytes?) {
            let next = counts[wallet, default: 0] + 1
            counts[wallet] = next
            state.history[HistoryKey(wallet, next)] = HistoryRow(
                position: Position(number), time: time, asset: asset, amount: amount, txid: txid)
            if let txid { state.entries[EntryKey(wallet, asset, txid)] = EntryRow(next) }
        }
        let kind = movement["kind"]?.stringValue
        guard kind != "receipt" else {
            return note(wallet("wallet"), SignedAmount(try amount("amount")), nil)
        }
        let fee = try amount("fee")
        let payer = wallet("wallet")
        let sent = kind == "fee" ? .zero : try amount("amount")
        let whole = try #require(sent.adding(fee))
        note(payer, SignedAmount(whole, isNegative: true), txid)
        if kind == "transfer" { note(wallet("other"), SignedAmount(sent), txid) }
        let chain = try #require(state.wallets[payer]?.wallet.chain)
        state.transactions[TransactionKey(chain, .sandbox, txid)] = TransactionRow(
            wallet: payer, request: RequestID(number))
        var request = RequestRow(received: time, session: 0, textDigest: txid)
        request.payment = PaymentSummary(wallet: payer, inputs: [], reserves: [], fee: fee)
        request.txid = txid
        state.requests[RequestID(number)] = request
    }
}

/// Ids of made-up transactions: 32 bytes.
private enum MadeUpID {
    static func of(_ number: UInt64) -> Bytes {
        var bytes = Bytes(repeating: 0xab, count: 24)
        BigEndian.append(number, to: &bytes)
        return bytes
    }
}

extension Gains.Line {
    /// The line as the script writes it.
    fileprivate func json(_ decimals: Int) -> JSON {
        func money(_ ratio: ExactRatio?) -> JSON {
            ratio.map { .string($0.text(decimals: decimals)) } ?? .null
        }
        return .array([
            .string(asset.name), acquired.map { .int($0 / 1_000_000) } ?? .null,
            .int(movement.date / 1_000_000), .string(amount.decimal), money(proceeds),
            money(cost), money(gain), .bool(isFee),
        ])
    }
}
