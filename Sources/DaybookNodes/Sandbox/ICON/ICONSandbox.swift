package import DaybookChains
import DaybookCrypto
package import DaybookEncoding

/// A small ICON network that validates transactions as a node does and mines on demand.
///
/// Its nid is 0x3, so that nothing signed for it is valid on the main network. It has no clock:
/// times are arguments, in microseconds since 1970. The same calls give the same rows.
package struct ICONSandbox {
    /// All of the network's state.
    package var rows: any Rows

    /// The network stored in some rows; it is new if the rows are empty.
    package init(_ rows: any Rows) {
        self.rows = rows
    }

    /// The network's id.
    package static let nid: UInt64 = 3
    /// The costs of transactions.
    package static let fees = ICONFees(
        price: UInt256(12_500_000_000), transfer: 100_000, inputByte: 200, contractCall: 25_000)
    /// The largest step limit of a transaction.
    package static let maximumSteps: UInt64 = 2_500_000_000
    /// How much a transaction's timestamp may differ from the time, in microseconds.
    package static let timestampThreshold: UInt64 = 300_000_000

    /// The account that has all ICX and tokens at the beginning; its private key is public.
    package static let faucet = ICONAddress(faucetKey().publicKey)
    /// The total supply of ICX, in loop.
    package static let supply = constant(UInt256(hex: "2961fff8ca4a62327800000"))
    /// The contract of the sandbox's only token.
    package static let token = constant(ICONAddress("cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32"))
    /// The total supply of the token: 10^9 tokens, in its smallest unit.
    package static let tokenSupply = constant(UInt256(decimal: "1" + zeros(27)))
    package static let tokenName = "Sandbox Token"
    package static let tokenSymbol = "SBX"
    package static let tokenDecimals = 18

    static func faucetKey() -> PrivateKey {
        let digits = "592eb276d534e2c41a2d9356c0ab262dc233d87e4dd71ce705ec130a8d27ff0c"
        guard let key = PrivateKey(SecretBytes(copying: constant(Hex.decode(digits)))) else {
            preconditionFailure("the faucet's key is a constant below the group's order")
        }
        return key
    }

    private static func zeros(_ count: Int) -> String { String(repeating: "0", count: count) }

    private static func constant<Value>(_ value: Value?) -> Value {
        guard let value else {
            preconditionFailure("the constants of this file are well-formed, and tests read each")
        }
        return value
    }
}

extension ICONSandbox {
    /// The faults that a test can inject into the network.
    package struct Switches: Hashable, Sendable {
        /// The next transaction is refused with this error, whatever it is.
        package var refuseNext: ICONRefusal?
        /// The next transaction is lost on its way, and nothing is answered from then on.
        package var losesNext = false
        /// The answer to the next accepted transaction is lost.
        package var losesNextAnswer = false
        /// The network accepts and answers nothing, so that callers time out.
        package var isSilent = false
        /// Transactions whose sender can't pay are accepted, and stay pending until they expire.
        ///
        /// A node without `--validate_tx_on_send` does the same.
        package var takesUnpayable = false

        /// No faults.
        package init() {}
    }

    /// The injected faults; they are stored in the rows, so that other processes see them.
    package var switches: Switches {
        get { rows.value(ICONKey.switches).flatMap { Switches($0) } ?? Switches() }
        set {
            if newValue == Switches() {
                rows.remove(ICONKey.switches)
            } else {
                rows.set(ICONKey.switches, newValue.row)
            }
        }
    }
}

extension ICONSandbox.Switches {
    fileprivate init?(_ row: Bytes) {
        guard let record = try? CBOR.decode(row) else { return nil }
        if let code = record["code"]?.intValue, let message = record["message"]?.textValue {
            refuseNext = ICONRefusal(code: Int(code), message: message)
        }
        losesNext = record["losesAll"]?.boolValue ?? false
        losesNextAnswer = record["loses"]?.boolValue ?? false
        isSilent = record["silent"]?.boolValue ?? false
        takesUnpayable = record["unpayable"]?.boolValue ?? false
    }

    fileprivate var row: Bytes {
        CBOR.record([
            "code": refuseNext.map { .int(Int64($0.code)) },
            "message": refuseNext.map { .text($0.message) },
            "losesAll": .bool(losesNext), "loses": .bool(losesNextAnswer),
            "silent": .bool(isSilent),
            "unpayable": .bool(takesUnpayable),
        ]).encoded()
    }
}

extension ICONSandbox {
    /// Sends ICX from the faucet and returns the hash of the pending transaction.
    ///
    /// The switches do not apply.
    package mutating func fund(
        _ holder: ICONAddress, loop: UInt256, at time: UInt64
    ) throws(ICONRefusal) -> Bytes {
        try send(
            ICONDraft(
                from: Self.faucet, to: holder, value: loop, timestamp: time, nid: Self.nid),
            at: time)
    }

    /// Sends tokens from the faucet, in the token's smallest unit.
    package mutating func fundTokens(
        _ holder: ICONAddress, amount: UInt256, at time: UInt64
    ) throws(ICONRefusal) -> Bytes {
        try send(
            .tokenTransfer(
                IRC2.Transfer(from: Self.faucet, to: holder, value: amount), of: Self.token,
                timestamp: time, nid: Self.nid),
            at: time)
    }

    /// Signs with the faucet's key, with the first nonce that gives a new transaction.
    private mutating func send(_ draft: ICONDraft, at time: UInt64) throws(ICONRefusal) -> Bytes {
        var draft = draft
        var nonce: UInt64 = 0
        while true {
            draft.nonce = UInt256(nonce)
            let steps = try estimateSteps(draft.params)
            guard let transaction = try? draft.transaction(stepLimit: UInt256(steps)),
                let signature = Self.faucetKey().signRecoverable(digest: transaction.hash)
            else { throw .system("E2005:Failed to verify transaction") }
            if entry(transaction.hash) == nil {
                return try admit(transaction.signed(by: ICONSignature(signature)), at: time)
            }
            nonce += 1
        }
    }
}

/// Balances in rows, with uncommitted changes in memory.
///
/// Without a row a balance is that of the beginning: the faucet has everything, others nothing.
struct ICONLedger {
    private let rows: any Rows
    private var changes: [Bytes: Bytes] = [:]

    init(_ rows: any Rows) {
        self.rows = rows
    }

    /// The balance of an account or contract, in loop.
    func balance(of holder: ICONAddress) -> UInt256 {
        number(ICONKey.balance(holder))
            ?? (holder == ICONSandbox.faucet ? ICONSandbox.supply : .zero)
    }

    /// The token balance of an account or contract; nil if it never had any.
    func tokens(of holder: ICONAddress) -> UInt256? {
        number(ICONKey.tokens(holder))
            ?? (holder == ICONSandbox.faucet ? ICONSandbox.tokenSupply : nil)
    }

    mutating func setBalance(_ amount: UInt256, of holder: ICONAddress) {
        changes[ICONKey.balance(holder)] = amount.minimalBytes
    }

    mutating func setTokens(_ amount: UInt256, of holder: ICONAddress) {
        changes[ICONKey.tokens(holder)] = amount.minimalBytes
    }

    /// Transfers loop; false if the payer has not enough.
    mutating func move(_ amount: UInt256, from payer: ICONAddress, to payee: ICONAddress) -> Bool {
        guard let rest = balance(of: payer).subtracting(amount) else { return false }
        setBalance(rest, of: payer)
        guard let sum = balance(of: payee).adding(amount) else { return false }
        setBalance(sum, of: payee)
        return true
    }

    /// The changed rows, sorted by key.
    var changed: [Row] {
        changes.sorted { ByteOrder.precedes($0.key, $1.key) }
            .map { Row(key: $0.key, value: $0.value) }
    }

    private func number(_ key: Bytes) -> UInt256? {
        (changes[key] ?? rows.value(key)).flatMap { UInt256(bigEndian: $0) }
    }
}
