package import DaybookChains
package import DaybookEncoding

/// A wallet's holdings of an asset, in six parts that never overlap.
package struct BalanceRow: StateRow {
    package private(set) var parts: [UInt256]

    /// Where a coin stands: in a block or not, and whether it can be spent.
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

    /// Everything that blocks hold, reserved or not.
    package var confirmed: UInt256 {
        sum([.confirmedFree, .confirmedHeld, .confirmedReserved])
    }

    /// Everything that only the mempool holds.
    package var unconfirmed: UInt256 {
        sum([.unconfirmedFree, .unconfirmedHeld, .unconfirmedReserved])
    }

    /// What prepared and signed transactions hold back.
    package var reserved: UInt256 { sum([.confirmedReserved, .unconfirmedReserved]) }

    /// What can be spent now: free coins in blocks, and our own change.
    package var available: UInt256 { sum([.confirmedFree, .unconfirmedFree]) }

    /// What nobody can spend yet: block rewards too young, and unconfirmed payments of others.
    ///
    /// Confirmed and unconfirmed are together available, reserved and held.
    package var held: UInt256 { sum([.confirmedHeld, .unconfirmedHeld]) }

    private func sum(_ chosen: [Part]) -> UInt256 {
        // All coins of a chain are far below 2^256, so a sum of parts can't leave it.
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

/// An output of ours, and which request holds it back.
package struct OutputRow: StateRow {
    package var output: ChainObserved.Output
    /// The row of the address that it pays.
    package var address: AddressKey
    /// The request whose transaction is to spend it.
    package var reservedBy: RequestID?
    /// It came from a transaction of our own, so it can be spent before a block has it.
    package var isOurs: Bool
    /// A coinbase output that is deep enough to be spent.
    package var isMature = false

    package init(
        output: ChainObserved.Output, address: AddressKey, reservedBy: RequestID? = nil,
        isOurs: Bool
    ) {
        self.output = output
        self.address = address
        self.reservedBy = reservedBy
        self.isOurs = isOurs
    }

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

/// What came from the rest of the world and what went to it: the other side of every balance.
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

/// What a token contract says of itself: believed once, when it is seen first.
///
/// Whoever could change the decimals later would choose what amount a prompt shows. A later word
/// is kept beside the first one, so that prompts can warn of it.
package struct TokenRow: StateRow {
    package let symbol: String
    package let decimals: UInt64
    /// What the contract says now, where that is something else.
    package private(set) var changed: Word?

    /// A symbol and decimals, as a node told them.
    package struct Word: Equatable, Sendable {
        package let symbol: String
        package let decimals: UInt64
    }

    package init(symbol: String, decimals: UInt64) {
        self.symbol = symbol
        self.decimals = decimals
    }

    /// The row after a node has told of the token again.
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
    /// How amounts of the token are shown: under its symbol, unless that could mislead.
    package func unit(of contract: String) -> TokenUnit {
        TokenUnit(
            asset: TokenUnit.canBeShown(symbol) ? symbol : contract,
            decimals: Int(clamping: decimals))
    }
}

/// What is known of a chain's tip and prices.
package struct ChainRow: StateRow {
    package var height: UInt64 = 0
    package var tip: Bytes = []
    /// By what a real node showed to be of this network.
    package var identity: String?
    /// Duffs for 1000 bytes.
    package var feeRate: UInt64?
    package var instantSend: Bool = false
    package var steps: ChainObserved.Steps?

    package init() {}

    package var coded: CBOR {
        .record([
            "height": .unsigned(height), "tip": .bytes(tip), "identity": identity.map(CBOR.text),
            "feeRate": feeRate.map(CBOR.unsigned),
            "instantSend": .flag(instantSend), "steps": steps?.coded,
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
    }
}

/// One line of a wallet's history.
package struct HistoryRow: StateRow {
    /// What happened to the coins.
    package enum Kind: String, Sendable {
        case received, sent, confirmed, failed, reorganised
    }

    package var kind: Kind
    package var time: UInt64
    package var asset: String?
    package var amount: UInt256?
    package var txid: Bytes?
    package var request: RequestID?

    package init(
        kind: Kind, time: UInt64, asset: String? = nil, amount: UInt256? = nil,
        txid: Bytes? = nil, request: RequestID? = nil
    ) {
        self.kind = kind
        self.time = time
        self.asset = asset
        self.amount = amount
        self.txid = txid
        self.request = request
    }

    package var coded: CBOR {
        .record([
            "kind": .text(kind.rawValue), "time": .unsigned(time),
            "asset": asset.map(CBOR.text), "amount": amount?.coded,
            "txid": txid.map(CBOR.bytes), "request": request.map { .id($0) },
        ])
    }

    package init(_ fields: Fields) throws(FieldError) {
        kind = try fields.name("kind")
        time = try fields.number("time")
        asset = try fields.optionalText("asset")
        amount = try fields.optionalAmount("amount")
        txid = try fields.optionalBytes("txid")
        request = try fields.optionalID("request")
    }
}

/// What a row of an index points to.
package struct PointerRow<Target: EventID>: StateRow {
    package var target: Target
    /// Tells same from different where a key must not be used for two things.
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
