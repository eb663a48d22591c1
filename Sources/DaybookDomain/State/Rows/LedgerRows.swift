package import DaybookChains
package import DaybookEncoding

/// A wallet's balance of an asset, in six parts that never overlap.
package struct BalanceRow: StateRow {
    package private(set) var parts: [UInt256]

    /// Whether coins are confirmed, and whether they can be spent.
    package enum Part: Int, CaseIterable, Sendable {
        case confirmedFree, confirmedHeld, confirmedReserved
        case unconfirmedFree, unconfirmedHeld, unconfirmedReserved

        package var isConfirmed: Bool { rawValue < Part.unconfirmedFree.rawValue }
    }

    package init() {
        parts = Part.allCases.map { _ in .zero }
    }

    package subscript(part: Part) -> UInt256 {
        get { parts[part.rawValue] }
        set { parts[part.rawValue] = newValue }
    }

    /// The confirmed balance, reserved or not.
    package var confirmed: UInt256 {
        sum([.confirmedFree, .confirmedHeld, .confirmedReserved])
    }

    /// The balance that is only in the mempool.
    package var unconfirmed: UInt256 {
        sum([.unconfirmedFree, .unconfirmedHeld, .unconfirmedReserved])
    }

    /// The balance that prepared and signed transactions reserve.
    package var reserved: UInt256 { sum([.confirmedReserved, .unconfirmedReserved]) }

    /// The balance that can be spent now: free confirmed coins, and our own change.
    package var available: UInt256 { sum([.confirmedFree, .unconfirmedFree]) }

    /// The balance that can't be spent yet: immature block rewards, and unconfirmed payments of
    /// others.
    ///
    /// Available, reserved and held together are the confirmed and the unconfirmed balance.
    package var held: UInt256 { sum([.confirmedHeld, .unconfirmedHeld]) }

    private func sum(_ chosen: [Part]) -> UInt256 {
        // All coins of a chain are far below 2^256, so the sum can't overflow.
        chosen.reduce(.zero) { $0.adding(self[$1]) ?? .max }
    }

    package var coded: CBOR {
        .record(["parts": .array(parts.map(\.coded))])
    }

    package init(_ fields: Fields) throws(FieldError) {
        guard let items = fields["parts"]?.arrayValue, items.count == Part.allCases.count
        else { throw FieldError(field: "row.parts", expected: "six amounts") }
        parts = []
        for item in items {
            guard let amount = UInt256(coded: item) else {
                throw FieldError(field: "row.parts", expected: "six amounts")
            }
            parts.append(amount)
        }
    }
}

/// An output of ours, and the request that reserves it.
package struct OutputRow: StateRow {
    package var output: ChainObserved.Output
    /// The key of the address that it pays.
    package var address: AddressKey
    /// The request whose transaction is to spend it.
    package var reservedBy: RequestID?
    /// Whether our own transaction made it, so that it can be spent while unconfirmed.
    ///
    /// False while a coin that the transaction spends is in no block and is not ours in this sense.
    package var isOurs: Bool
    /// Whether a coinbase output has enough confirmations to be spent.
    package var isMature = false
}

extension OutputRow {
    package var coded: CBOR {
        .record([
            "output": output.coded, "address": address.coded,
            "reservedBy": reservedBy.map { .id($0) }, "isOurs": .flag(isOurs),
            "isMature": .flag(isMature),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        output = try ChainObserved.Output(try fields.fields("output"))
        address = try AddressKey(fields, "address")
        reservedBy = try fields.optionalID("reservedBy")
        isOurs = try fields.flag("isOurs")
        isMature = try fields.flag("isMature")
    }
}

/// The external account: what came in from everyone else and what went out, for one asset.
package struct ExternalAccountRow: StateRow {
    package var paidIn: UInt256
    package var paidOut: UInt256

    package init() {
        paidIn = .zero
        paidOut = .zero
    }

    package var coded: CBOR {
        .record(["paidIn": paidIn.coded, "paidOut": paidOut.coded])
    }

    package init(_ fields: Fields) throws(FieldError) {
        paidIn = try fields.amount("paidIn")
        paidOut = try fields.amount("paidOut")
    }
}

/// A token's symbol and decimals, as its contract stated them first.
///
/// A node that could change the decimals later would choose the amount that a prompt shows. A later
/// statement is kept beside the first one, so that prompts can warn of it.
package struct TokenRow: StateRow {
    package let symbol: String
    package let decimals: UInt64
    /// The contract's latest statement, if it differs from the first.
    package private(set) var changed: Word?

    /// A symbol and decimals, as a node reported them.
    package struct Word: Equatable, Sendable {
        package let symbol: String
        package let decimals: UInt64
    }

    package init(symbol: String, decimals: UInt64) {
        self.symbol = symbol
        self.decimals = decimals
    }

    /// The row after a node has reported the token again.
    package func updated(symbol: String, decimals: UInt64) -> TokenRow {
        var row = self
        let isSame = decimals == self.decimals && Text.equal(symbol, self.symbol)
        row.changed = isSame ? nil : Word(symbol: symbol, decimals: decimals)
        return row
    }

    package var coded: CBOR {
        .record([
            "symbol": .text(symbol), "decimals": .unsigned(decimals),
            "changed": changed.map {
                .record(["symbol": .text($0.symbol), "decimals": .unsigned($0.decimals)])
            },
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        symbol = try fields.text("symbol")
        decimals = try fields.number("decimals")
        if let item = try fields.optionalFields("changed") {
            changed = Word(symbol: try item.text("symbol"), decimals: try item.number("decimals"))
        }
    }
}

extension TokenRow {
    /// The unit in which amounts are shown: the symbol, or the contract if the symbol could
    /// mislead.
    package func unit(of contract: String) -> TokenUnit {
        TokenUnit(
            asset: TokenUnit.canBeShown(symbol) ? symbol : contract,
            decimals: Int(clamping: decimals))
    }
}

/// A chain's tip and prices, as of the last scan.
package struct ChainRow: StateRow {
    package var height: UInt64 = 0
    package var tip: Bytes = []
    /// The node's proof that it belongs to this network.
    package var identity: String?
    /// Duffs per 1000 bytes.
    package var feeRate: UInt64?
    /// Whether the node gave no estimate, so that the rate is the least that it takes.
    package var lacksFeeEstimate = false
    package var instantSend: Bool = false
    package var steps: ChainObserved.Steps?
    /// The height at which everything was compared with a node; nil if it never was.
    package var compared: UInt64?
    /// What is set aside of the nodes' answers.
    package var setAside: [SetAside] = []
    /// Set while scans fail.
    package var outage: Outage?

    /// The time during which a chain can't be read.
    package struct Outage: Equatable, Sendable {
        /// When a scan last succeeded; nil if none did.
        package var lastRead: UInt64?
        /// When the first scan failed.
        package var since: UInt64
        /// What is wrong with the node, in our own words.
        package var reason: String
    }

    package init() {}

    package var coded: CBOR {
        .record([
            "height": .unsigned(height), "tip": .bytes(tip), "identity": identity.map(CBOR.text),
            "feeRate": feeRate.map(CBOR.unsigned),
            "instantSend": .flag(instantSend), "steps": steps?.coded,
            "lacksFeeEstimate": .flag(lacksFeeEstimate),
            "setAside": .list(setAside) { $0.coded },
            "outage": outage.map {
                .record([
                    "lastRead": $0.lastRead.map(CBOR.unsigned), "since": .unsigned($0.since),
                    "reason": .text($0.reason),
                ])
            },
            "compared": compared.map(CBOR.unsigned),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        height = try fields.number("height")
        tip = try fields.bytes("tip")
        identity = try fields.optionalText("identity")
        feeRate = try fields.optionalNumber("feeRate")
        instantSend = try fields.flag("instantSend")
        steps = try fields.optionalFields("steps").map { (item) throws(FieldError) in
            try ChainObserved.Steps(item)
        }
        lacksFeeEstimate = try fields.flag("lacksFeeEstimate")
        setAside = try fields.list("setAside") { (item) throws(FieldError) in try SetAside(item) }
        outage = try fields.optionalFields("outage").map { (item) throws(FieldError) in
            Outage(
                lastRead: try item.optionalNumber("lastRead"), since: try item.number("since"),
                reason: try item.text("reason"))
        }
        compared = try fields.optionalNumber("compared")
    }
}

/// What one transaction changed in a wallet's balance of one asset: an entry of its history.
///
/// Without a transaction's id it is a change of a balance that a node reported alone. The amounts
/// of an asset's entries add up to its balance: the same functions write both.
package struct HistoryRow: StateRow {
    /// The event that recorded the transaction first, and its time.
    package let position: Position
    package let time: UInt64
    package let asset: String
    /// The net amount that the wallet got or, if negative, gave, with the fee.
    package var amount: SignedAmount
    package let txid: Bytes?
    /// The block; nil while none is known.
    package var height: UInt64?
    /// Whether it is the removal of the wallet, with its balance.
    package let isRemoval: Bool

    package init(
        position: Position, time: UInt64, asset: String, amount: SignedAmount,
        txid: Bytes? = nil, height: UInt64? = nil, isRemoval: Bool = false
    ) {
        (self.position, self.time, self.asset, self.amount) = (position, time, asset, amount)
        (self.txid, self.height, self.isRemoval) = (txid, height, isRemoval)
    }
}

extension HistoryRow {
    package var coded: CBOR {
        .record([
            "position": .id(position), "time": .unsigned(time), "asset": .text(asset),
            "amount": amount.magnitude.coded, "isNegative": .flag(amount.isNegative),
            "txid": txid.map(CBOR.bytes), "height": height.map(CBOR.unsigned),
            "isRemoval": .flag(isRemoval),
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        position = try fields.id("position")
        time = try fields.number("time")
        asset = try fields.text("asset")
        amount = SignedAmount(
            try fields.amount("amount"), isNegative: try fields.flag("isNegative"))
        txid = try fields.optionalBytes("txid")
        height = try fields.optionalNumber("height")
        isRemoval = try fields.flag("isRemoval")
    }
}

/// The number of a transaction's entry in a wallet's history.
package struct EntryRow: StateRow {
    package let number: UInt64

    package init(_ number: UInt64) { self.number = number }

    package var coded: CBOR { .record(["number": .unsigned(number)]) }

    package init(_ fields: Fields) throws(FieldError) { number = try fields.number("number") }
}

/// A row of an index, which refers to an event's position.
package struct PointerRow<Target: EventID>: StateRow {
    package var target: Target
    /// Distinguishes a repeated entry from a different one under the same key.
    package var digest: Bytes?

    package init(_ target: Target, digest: Bytes? = nil) {
        self.target = target
        self.digest = digest
    }

    package var coded: CBOR {
        .record(["position": .id(target), "digest": digest.map(CBOR.bytes)])
    }

    package init(_ fields: Fields) throws(FieldError) {
        target = try fields.id("position")
        digest = try fields.optionalBytes("digest")
    }
}
