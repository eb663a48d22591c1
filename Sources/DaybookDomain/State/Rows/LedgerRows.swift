package import DaybookChains
package import DaybookEncoding

/// A wallet's balance of an asset, in eight parts that never overlap.
package struct BalanceRow: StateRow {
    package private(set) var parts: [UInt256]

    /// Whether coins are confirmed, and whether they can be spent.
    package enum Part: Int, CaseIterable, Sendable {
        case confirmedFree, confirmedHeld, confirmedReserved
        case unconfirmedFree, unconfirmedHeld, unconfirmedReserved
        // Few wallets have these: they have a field of their own, which is absent where both are 0.
        case confirmedFrozen, unconfirmedFrozen
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
        sum([.confirmedFree, .confirmedHeld, .confirmedReserved, .confirmedFrozen])
    }

    /// The balance that is only in the mempool.
    package var unconfirmed: UInt256 {
        sum([.unconfirmedFree, .unconfirmedHeld, .unconfirmedReserved, .unconfirmedFrozen])
    }

    /// The balance that prepared and signed transactions reserve.
    package var reserved: UInt256 { sum([.confirmedReserved, .unconfirmedReserved]) }

    /// The balance that can be spent now: free confirmed coins, and our own change.
    package var available: UInt256 { sum([.confirmedFree, .unconfirmedFree]) }

    /// The balance that can't be spent yet: immature block rewards, and unconfirmed payments of
    /// others.
    ///
    /// Available, reserved, held and frozen together are the confirmed and the unconfirmed balance.
    package var held: UInt256 { sum([.confirmedHeld, .unconfirmedHeld]) }

    /// The balance that the user froze, unless a transaction was to spend it already.
    package var frozen: UInt256 { sum([.confirmedFrozen, .unconfirmedFrozen]) }

    private func sum(_ chosen: [Part]) -> UInt256 {
        // All coins of a chain are far below 2^256, so the sum can't overflow.
        chosen.reduce(.zero) { $0.adding(self[$1]) ?? .max }
    }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        let always = Part.confirmedFrozen.rawValue
        parts = try coder.values("parts", value.map { Array($0.parts.prefix(always)) })
        guard parts.count == always else { throw coder.wrong("parts", "six amounts") }
        let frozen = value.map { Array($0.parts.dropFirst(always)) }
        let isNone = frozen?.allSatisfy { $0 == .zero } == true
        let others = try coder.values("frozen", isNone ? [] : frozen)
        guard others.isEmpty || (others.count == 2 && others != [.zero, .zero]) else {
            throw coder.wrong("frozen", "two amounts")
        }
        parts += others.isEmpty ? [.zero, .zero] : others
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
    /// Whether the user froze it, so that no payment spends it.
    package var isFrozen = false
}

extension OutputRow {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        isOurs = try coder.flag("isOurs", value?.isOurs)
        output = try coder.map("output", value?.output)
        address = try coder.field("address", value?.address)
        isFrozen = try coder.flag("isFrozen", value?.isFrozen)
        isMature = try coder.flag("isMature", value?.isMature)
        reservedBy = try coder.optional("reservedBy", value?.reservedBy)
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

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        paidIn = try coder.field("paidIn", value?.paidIn)
        paidOut = try coder.field("paidOut", value?.paidOut)
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

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        symbol = try coder.field("symbol", value?.symbol)
        changed = try coder.optionalMap("changed", value?.changed)
        decimals = try coder.field("decimals", value?.decimals)
    }
}

extension TokenRow.Word: Recorded {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        symbol = try coder.field("symbol", value?.symbol)
        decimals = try coder.field("decimals", value?.decimals)
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
    package var iconFees: ICONFees?
    /// The height at which everything was compared with a node; nil if it never was.
    package var compared: UInt64?
    /// The parts of nodes' answers that are set aside.
    package var setAside: [SetAside] = []
    /// Set while scans fail.
    package var outage: Outage?

    /// The time during which a chain can't be read.
    package struct Outage: Equatable, Sendable {
        /// When a scan last succeeded; nil if none did.
        package var lastRead: UInt64?
        /// When the first scan failed.
        package var since: UInt64
        /// The node's fault, in our own words.
        package var reason: String
    }

    package init() {}

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        tip = try coder.field("tip", value?.tip)
        iconFees = try coder.optionalMap("steps", value?.iconFees)
        height = try coder.field("height", value?.height)
        outage = try coder.optionalMap("outage", value?.outage)
        feeRate = try coder.optional("feeRate", value?.feeRate)
        compared = try coder.optional("compared", value?.compared)
        identity = try coder.optional("identity", value?.identity)
        setAside = try coder.list("setAside", value?.setAside)
        instantSend = try coder.flag("instantSend", value?.instantSend)
        lacksFeeEstimate = try coder.flag("lacksFeeEstimate", value?.lacksFeeEstimate)
    }
}

extension ChainRow.Outage: Recorded {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        since = try coder.field("since", value?.since)
        reason = try coder.field("reason", value?.reason)
        lastRead = try coder.optional("lastRead", value?.lastRead)
    }
}

/// An entry of a wallet's history: the change of its balance of one asset by one transaction.
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
    /// When the block was made; nil if no node told it.
    package var blockTime: UInt64?
    /// Whether it is the removal of the wallet, with its balance.
    package let isRemoval: Bool

    package init(
        position: Position, time: UInt64, asset: String, amount: SignedAmount,
        txid: Bytes? = nil, height: UInt64? = nil, blockTime: UInt64? = nil,
        isRemoval: Bool = false
    ) {
        (self.position, self.time, self.asset, self.amount) = (position, time, asset, amount)
        (self.txid, self.height, self.blockTime) = (txid, height, blockTime)
        self.isRemoval = isRemoval
    }
}

extension HistoryRow {
    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        time = try coder.field("time", value?.time)
        txid = try coder.optional("txid", value?.txid)
        asset = try coder.field("asset", value?.asset)
        let magnitude = try coder.field("amount", value?.amount.magnitude)
        height = try coder.optional("height", value?.height)
        position = try coder.field("position", value?.position)
        blockTime = try coder.optional("blockTime", value?.blockTime)
        isRemoval = try coder.flag("isRemoval", value?.isRemoval)
        let isNegative = try coder.flag("isNegative", value?.amount.isNegative)
        amount = SignedAmount(magnitude, isNegative: isNegative)
    }
}

/// The number of a transaction's entry in a wallet's history.
package struct EntryRow: StateRow {
    package let number: UInt64

    package init(_ number: UInt64) { self.number = number }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        number = try coder.field("number", value?.number)
    }
}

/// A row of an index, which refers to an event's position.
package struct PointerRow<Target: EventID & RecordedValue>: StateRow {
    package var target: Target
    /// Distinguishes a repeated entry from a different one under the same key.
    package var digest: Bytes?

    package init(_ target: Target, digest: Bytes? = nil) {
        self.target = target
        self.digest = digest
    }

    package init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        digest = try coder.optional("digest", value?.digest)
        target = try coder.field("position", value?.target)
    }
}
