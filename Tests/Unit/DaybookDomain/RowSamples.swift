import DaybookChains
import DaybookEncoding

@testable import DaybookDomain

/// A row of every type, with every field set and with as few as there can be.
struct RowSample: Sendable, CustomStringConvertible {
    let description: String
    let full: any StateRow
    let sparse: any StateRow
    /// The names of the fields on disk, sorted.
    let keys: [String]

    init<Row: StateRow>(_ full: Row, _ sparse: Row, _ keys: [String]) {
        description = "\(Row.self)"
        self.full = full
        self.sparse = sparse
        self.keys = keys
    }

    static let all: [RowSample] = [
        RowSample(
            change(AddressRow(text: "X1", script: [1], path: "m/0", publicKey: [2])) {
                $0.used = true
                $0.givenTo = "shop"
            }, AddressRow(text: "", script: [], path: "", publicKey: []),
            ["givenTo", "path", "publicKey", "script", "text", "used"]),
        RowSample(
            change(AttemptRow(wallet: 1, request: 2, terms: Bytes(repeating: 3, count: 32))) {
                $0.inputs = [Samples.outpoint]
                $0.until = 4
                $0.isGivenUp = true
            }, AttemptRow(wallet: 0, request: 0, terms: Bytes(repeating: 0, count: 32)),
            ["inputs", "isGivenUp", "request", "terms", "until", "wallet"]),
        RowSample(
            change(BalanceRow()) { row in
                for part in BalanceRow.Part.allCases { row[part] = Samples.large }
            }, BalanceRow(), ["frozen", "parts"]),
        RowSample(
            BindingRow(
                binding: BindingGranted(caller: "shop", wallet: 1, kind: .bind, values: ["hx1"]),
                time: 5),
            BindingRow(
                binding: BindingGranted(caller: "", wallet: 0, kind: .address, values: []),
                time: 0), ["binding", "time"]),
        RowSample(
            change(BranchRow(derived: 20, afterUsed: 3)) { $0.asked = 7 },
            BranchRow(derived: 0, afterUsed: 0), ["afterUsed", "asked", "derived"]),
        RowSample(
            change(ChainRow()) {
                $0.height = 7
                $0.tip = [1]
                $0.feeRate = 1000
                $0.instantSend = true
                $0.identity = "nid 0x3"
                $0.steps = .init(
                    price: Samples.large, transfer: 1, inputByte: 2, contractCall: 3)
                $0.lacksFeeEstimate = true
                $0.setAside = [SetAside(.feeRate, because: "it is no fee")]
                $0.outage = .init(lastRead: 5, since: 6, reason: "no answer")
            }, ChainRow(),
            [
                "feeRate", "height", "identity", "instantSend", "lacksFeeEstimate", "outage",
                "setAside", "steps", "tip",
            ]),
        RowSample(
            HistoryRow(
                position: 4, time: 5, asset: "ICX",
                amount: SignedAmount(Samples.large, isNegative: true), txid: Samples.txid,
                height: 6, blockTime: 7, isRemoval: true),
            HistoryRow(position: 0, time: 0, asset: "", amount: .zero),
            [
                "amount", "asset", "blockTime", "height", "isNegative", "isRemoval", "position",
                "time", "txid",
            ]),
        RowSample(EntryRow(7), EntryRow(0), ["number"]),
        RowSample(LabelRow("rent"), LabelRow(""), ["label"]),
        RowSample(
            PriceRow(DecimalNumber("24.3")!), PriceRow(DecimalNumber("0")!), ["price"]),
        RowSample(
            change(
                OutputRow(
                    output: .init(
                        outpoint: Samples.outpoint, script: [1], amount: 5, height: 6,
                        coinbase: true, spentBy: Samples.txid, spentHeight: 7),
                    address: AddressKey(3, .single, 4), reservedBy: 3, isOurs: true)
            ) {
                $0.isMature = true
                $0.isFrozen = true
            },
            OutputRow(
                output: .init(
                    outpoint: Samples.outpoint, script: [], amount: 0, height: nil,
                    coinbase: false), address: AddressKey(0, .single, 0), isOurs: false),
            ["address", "isFrozen", "isMature", "isOurs", "output", "reservedBy"]),
        RowSample(
            PointerRow<RequestID>(5, digest: [1]), PointerRow<RequestID>(0),
            ["digest", "position"]),
        RowSample(
            request,
            RequestRow(received: 0, session: 0, textDigest: Bytes(repeating: 0, count: 32)),
            [
                "amount", "bump", "callback", "cancel", "delivered", "estimate", "expires", "into",
                "link", "payment", "prepared", "proof", "protocolCode", "received", "refusal",
                "repeats", "request", "session", "status", "textDigest", "txid", "wallet",
            ]),
        RowSample(
            ScriptRow(wallet: 1, address: AddressKey(3, .single, 4)),
            ScriptRow(wallet: 0, address: AddressKey(0, .single, 0)),
            ["address", "wallet"]),
        RowSample(
            SessionRow(engine: 1, settings: Settings()),
            SessionRow(engine: 0, settings: Settings()), ["engine", "settings"]),
        RowSample(
            TokenRow(symbol: "SBX", decimals: 18).updated(symbol: "SBY", decimals: 6),
            TokenRow(symbol: "", decimals: 0), ["changed", "decimals", "symbol"]),
        RowSample(
            change(TransactionRow(wallet: 1, request: 2, height: 3)) {
                $0.locked = true
                $0.isFailed = true
                $0.spent = [Samples.reserve]
                $0.blockTime = 4
            }, TransactionRow(wallet: 0, request: nil),
            ["blockTime", "failed", "height", "locked", "request", "spent", "wallet"]),
        RowSample(
            UnlockRow(failures: 3, lockedUntil: 5), UnlockRow(failures: 0),
            ["failures", "lockedUntil"]),
        RowSample(
            WalletRow(wallet: wallet, removed: true),
            WalletRow(
                wallet: WalletAdded(
                    chain: .dash, network: .sandbox, networkID: nil, label: nil, fingerprint: "",
                    keys: .accounts([]))), ["removed", "wallet"]),
        RowSample(
            change(ExternalAccountRow()) {
                $0.paidIn = Samples.large
                $0.paidOut = UInt256(1)
            }, ExternalAccountRow(), ["paidIn", "paidOut"]),
    ]

    private static let wallet = WalletAdded(
        chain: .icon, network: .regtest, networkID: 3, label: "a", fingerprint: "f",
        keys: .single(publicKey: [2, 3]))

    private static var request: RequestRow {
        var row = RequestRow(received: 1, session: 2, textDigest: Bytes(repeating: 3, count: 32))
        row.status = .failed
        row.request = Samples.requests[0]
        row.link = "iconex"
        row.expires = 4
        row.wallet = 5
        row.amount = 6
        row.refusal = Samples.refusal
        row.protocolCode = -7
        row.into = 8
        row.repeats = 9
        row.estimate = 10
        row.prepared = TransactionPrepared(
            wallet: 1, bytes: [1], inputs: [], fee: .zero, reserves: [Samples.reserve])
        row.payment = PaymentSummary(
            wallet: 1, inputs: [Outpoint(TransactionID(Bytes(repeating: 12, count: 32))!, 13)],
            reserves: [Samples.reserve], fee: UInt256(14),
            unsigned: Bytes(repeating: 15, count: 32),
            terms: Bytes(repeating: 16, count: 32), until: 17)
        row.txid = [11]
        row.proof = [18]
        row.callback = "shop://"
        row.delivered = true
        row.bump = 18
        row.cancel = 19
        return row
    }

    private static func change<Row>(_ row: Row, _ change: (inout Row) -> Void) -> Row {
        var row = row
        change(&row)
        return row
    }
}
