import DaybookChains
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// The state's rows on disk, which a store keeps and a state's digest is taken of.
struct RowCodingTests {
    @Test(arguments: RowSample.all)
    func `a row is read as it was written`(sample: RowSample) throws {
        try check(sample.full)
        try check(sample.sparse)
    }

    private func check<Row: StateRow>(_ row: Row) throws {
        let bytes = row.encoded()
        let read = try Row(bytes, path: "row")
        #expect(read == row)
        #expect(read.encoded() == bytes)
        var rows = MemoryRows()
        rows.set(Self.key, bytes)
        let table = Self.table(rows, Row.self)
        #expect(table.rows[7] == row)
        #expect(table.base.damage == nil)
    }

    private static let key = Bytes("rows/".utf8) + BigEndian.bytes(7)

    private static func table<Row: StateRow>(
        _ rows: MemoryRows, _: Row.Type
    ) -> (rows: StateTable<UInt64, Row>, base: StateBase) {
        let base = StateBase(rows)
        var table = StateTable<UInt64, Row>("rows")
        table.attach(to: base)
        return (table, base)
    }

    @Test(arguments: RowSample.all)
    func `the names of a row's fields stay what they are`(sample: RowSample) throws {
        #expect(try names(sample.full) == sample.keys)
        #expect(try names(sample.sparse).allSatisfy(sample.keys.contains))
    }

    private func names(_ value: some Recorded) throws -> [String] {
        guard case .map(let entries) = try CBOR.decode(value.encoded()) else { return [] }
        return entries.compactMap(\.key.textValue).sorted()
    }

    @Test(arguments: RowSample.all)
    func `a field of the wrong type is damage that names it`(sample: RowSample) throws {
        try checkDamage(sample.full)
    }

    private func checkDamage<Row: StateRow>(_ row: Row) throws {
        guard case .map(let entries) = try CBOR.decode(row.encoded()) else { return }
        for (index, entry) in entries.enumerated() {
            var changed = entries
            changed[index].value = .int(-1)
            if entry.key.textValue == "protocolCode" { changed[index].value = .text("") }
            var rows = MemoryRows()
            rows.set(Self.key, CBOR.map(changed).encoded())
            let table = Self.table(rows, Row.self)
            #expect(table.rows[7] == nil)
            #expect(table.base.damage?.field == "row.\(entry.key.textValue ?? "")")
        }
    }

    @Test func `bytes that are no row are damage wherever they are met`() {
        var rows = MemoryRows()
        for number in UInt64(1)...3 {
            let row = PointerRow(RequestID(number)).encoded()
            rows.set(Bytes("work/".utf8) + BigEndian.bytes(number), number == 2 ? [0xff] : row)
        }
        let state = State(rows)
        #expect(state.work.rows().map(\.row.target) == [1, 3])
        let damage = FieldError(field: "row", expected: "canonical CBOR")
        #expect(state.damage == damage && state.base.undecodedRow == damage)
    }

    @Test func `an account's numbers have 32 bits`() {
        for name in ["number", "coinType"] {
            var account: [CBOR.Entry] = []
            for key in ["number", "bip32", "bip44", "coinType"] {
                let value: CBOR = key.hasPrefix("bip") ? .text("x") : .unsigned(1)
                account.append(
                    .init(key: .text(key), value: key == name ? .unsigned(1 << 32) : value))
            }
            let data = CBOR.record([
                "chain": .text("dash"), "network": .text("sandbox"), "fingerprint": .text("f"),
                "accounts": .array([.map(account)]),
            ])
            #expect(throws: FieldError(field: "data.accounts[0].\(name)", expected: "32 bits")) {
                _ = try WalletAdded(EncodedCBOR(data))
            }
        }
    }

    @Test func `an absent value is written as nothing`() throws {
        let sparse = try Samples.sparse.map { payload -> [String] in
            let type = type(of: payload.data).type
            return ["\(type):"] + (try names(payload.data))
        }
        #expect(
            sparse == [
                ["wallet.added:", "chain", "fingerprint", "network"],
                ["request.received:", "frontEnd", "text"], ["decision.made:", "decision"],
                ["chain.observed:", "chain", "network"], ["signature.made:"],
                ["broadcast.answered:", "answer"], ["request.refused:", "code"],
                ["payment.received:", "amount", "asset", "wallet"],
                ["transaction.prepared:", "bytes", "fee", "wallet"],
                ["transaction.failed:", "code"],
                ["transaction.confirmed:", "height", "txid", "wallet"],
            ])
    }

    @Test(arguments: Samples.sparse)
    func `data with nothing that can be absent is read as it was written`(payload: Payload)
        throws
    {
        let type = type(of: payload.data).type
        let bytes = payload.data.encoded()
        #expect(try Payload(type: type, version: 1, data: try EncodedCBOR(bytes)) == payload)
    }
}

extension Samples {
    /// Events of the types that have optional fields, without any of them.
    static let sparse: [Payload] = [
        .walletAdded(
            WalletAdded(
                chain: .axe, network: .testnet, networkID: nil, label: nil, fingerprint: "f",
                keys: .accounts([]))),
        .requestReceived(RequestReceived(text: [], frontEnd: "", key: nil)),
        .decisionMade(
            DecisionMade(
                decision: .reject, prompt: nil, wallet: nil, amount: nil, unlocked: false)),
        .chainObserved(ChainObserved(chain: .icon, network: .mainnet)),
        .signatureMade(SignatureMade(signatures: [])),
        .broadcastAnswered(BroadcastAnswered(answer: .unknown)),
        .requestRefused(
            RequestRefused(refusal: Refusal(.malformedLink), protocolCode: nil, link: nil)),
        .paymentReceived(PaymentReceived(wallet: 0, asset: "", amount: .zero, txid: nil)),
        .transactionPrepared(
            TransactionPrepared(wallet: 0, bytes: [], inputs: [], fee: .zero, reserves: [])),
        .transactionFailed(TransactionFailed(refusal: Refusal(.dust), protocolCode: nil)),
        .transactionConfirmed(TransactionConfirmed(wallet: 0, txid: [], height: 0)),
    ]
}
