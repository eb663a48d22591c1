package import DaybookChains
import DaybookCrypto
package import DaybookEncoding

/// A small ICON network in rows: it checks what a node checks and mines when it is told to.
///
/// It has nid 0x3, so that nothing signed for it is valid on the main network. It knows no clock:
/// times come with the calls, in microseconds since 1970. The same calls give the same rows.
package struct ICONSandbox {
    /// Where all of its state is.
    package var rows: any Rows

    /// The network in some rows; empty rows are the network at its beginning.
    package init(_ rows: any Rows) {
        self.rows = rows
    }

    /// The network's id.
    package static let nid: UInt64 = 3
    /// What a step costs, in loop.
    package static let stepPrice = UInt256(12_500_000_000)
    /// What work costs.
    package static let steps = ICONSteps(default: 100_000, input: 200, contractCall: 25_000)
    /// The most steps that one transaction can use.
    package static let maximumSteps: UInt64 = 2_500_000_000
    /// How far a transaction's time may lie from now, in microseconds.
    package static let timestampThreshold: UInt64 = 300_000_000

    /// The account that has all ICX and tokens at the beginning; its key is public knowledge.
    package static let faucet = ICONAddress(faucetKey().publicKey)
    /// All loop there is.
    package static let supply = constant(UInt256(hex: "2961fff8ca4a62327800000"))
    /// The contract of the token that is there from the beginning.
    package static let token = constant(ICONAddress("cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32"))
    /// All of the token's smallest units there are: a thousand million tokens.
    package static let tokenSupply = constant(UInt256(decimal: "1" + zeros(27)))
    /// The token's name.
    package static let tokenName = "Sandbox Token"
    /// The token's symbol.
    package static let tokenSymbol = "SBX"
    /// How many decimals the token has.
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
    /// What a test can make the network do wrong.
    package struct Switches: Hashable, Sendable {
        /// The next transaction is refused with this, whatever it is.
        package var refuseNext: ICONRefusal?
        /// The next transaction that is taken is so without its sender hearing of it.
        package var losesNextAnswer = false
        /// Nothing is taken or answered; whoever asks must find that out by waiting.
        package var isSilent = false
        /// Transactions that cannot pay are taken too, and wait for funds or vanish.
        ///
        /// So does a node that runs without `--validate_tx_on_send`.
        package var takesUnpayable = false

        /// A network that does nothing wrong.
        package init() {}
    }

    /// What the network does wrong; part of its rows, and so seen by other processes.
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
        losesNextAnswer = record["loses"]?.boolValue ?? false
        isSilent = record["silent"]?.boolValue ?? false
        takesUnpayable = record["unpayable"]?.boolValue ?? false
    }

    fileprivate var row: Bytes {
        CBOR.record([
            "code": refuseNext.map { .int(Int64($0.code)) },
            "message": refuseNext.map { .text($0.message) },
            "loses": .bool(losesNextAnswer), "silent": .bool(isSilent),
            "unpayable": .bool(takesUnpayable),
        ]).encoded()
    }
}

extension ICONSandbox {
    /// Sends ICX from the faucet; the transaction's hash comes back, and it waits for a block.
    ///
    /// The switches are not heeded.
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

    /// Signs with the faucet's key; the first nonce that makes a transaction of its own is taken.
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

/// Balances over stored rows, with changes that are kept aside until they are wanted.
///
/// What no row holds yet is as the chain began: the faucet has all, others nothing.
struct ICONLedger {
    private let rows: any Rows
    private var changes: [Bytes: Bytes] = [:]

    init(_ rows: any Rows) {
        self.rows = rows
    }

    /// The loop of an account or contract.
    func balance(of holder: ICONAddress) -> UInt256 {
        number(ICONKey.balance(holder))
            ?? (holder == ICONSandbox.faucet ? ICONSandbox.supply : .zero)
    }

    /// The tokens of an account or contract; nil where it never held any.
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

    /// Moves loop; false where there is not enough.
    mutating func move(_ amount: UInt256, from payer: ICONAddress, to payee: ICONAddress) -> Bool {
        guard let rest = balance(of: payer).subtracting(amount) else { return false }
        setBalance(rest, of: payer)
        guard let sum = balance(of: payee).adding(amount) else { return false }
        setBalance(sum, of: payee)
        return true
    }

    /// The rows that would change, in the order of their keys.
    var changed: [Row] {
        changes.sorted { ByteOrder.precedes($0.key, $1.key) }
            .map { Row(key: $0.key, value: $0.value) }
    }

    private func number(_ key: Bytes) -> UInt256? {
        (changes[key] ?? rows.value(key)).flatMap { UInt256(bigEndian: $0) }
    }
}
