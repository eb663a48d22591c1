import DaybookChains
import DaybookEncoding

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
