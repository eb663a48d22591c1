package import DaybookChains
package import DaybookEncoding

// The keys of the state's tables, composed of parts.

package typealias AddressKey = Pair<BranchKey, UInt32>
package typealias AssetKey = Pair<ChainID, KeyText>
package typealias BalanceKey = Pair<WalletID, KeyText>
/// The entry of a transaction in a wallet's history of an asset.
package typealias EntryKey = Pair<WalletID, Pair<KeyText, KeyBytes>>
/// An entry of a wallet's history, by its number: from 1, in the order in which they were recorded.
package typealias HistoryKey = Pair<WalletID, UInt64>
package typealias BranchKey = Pair<WalletID, AddressRow.Branch>
/// A coin of a wallet by the complement of its amount, so that the largest comes first.
package typealias CoinKey = Pair<WalletID, Pair<UInt64, Outpoint>>
/// A request by its invoice (`Invoice`).
package typealias InvoiceKey = Pair<KeyDigest, RequestID>
package typealias OutputKey = Pair<WalletID, Outpoint>
/// A coinbase output of a wallet, by the height at which it can be spent.
package typealias MaturityKey = Pair<WalletID, Pair<UInt64, Outpoint>>
package typealias ScriptKey = Pair<ChainID, KeyBytes>
/// An attempt by its terms (`AttemptTerms`).
package typealias TermsKey = Pair<KeyDigest, KeyBytes>
package typealias TokenKey = Pair<Network, KeyText>
package typealias TransactionKey = Pair<ChainID, KeyBytes>

extension Pair<ChainID, KeyBytes> {
    package init(_ chain: Chain, _ network: Network, _ bytes: Bytes) {
        self.init(ChainID(chain, network), KeyBytes(bytes))
    }
}

extension TermsKey {
    package init(_ terms: Bytes, _ txid: Bytes) {
        self.init(KeyDigest(terms), KeyBytes(txid))
    }
}

extension Pair<ChainID, KeyText> {
    package init(_ chain: Chain, _ network: Network, _ asset: String) {
        self.init(ChainID(chain, network), KeyText(asset))
    }
}

extension Pair where Second == KeyText {
    package init(_ first: First, _ text: String) { self.init(first, KeyText(text)) }

    package var text: String { second.text }
}

extension Pair<KeyText, KeyText> {
    package init(_ first: String, _ second: String) {
        self.init(KeyText(first), KeyText(second))
    }
}

extension EntryKey {
    package init(_ wallet: WalletID, _ asset: String, _ txid: Bytes) {
        self.init(wallet, Pair<KeyText, KeyBytes>(KeyText(asset), KeyBytes(txid)))
    }
}

extension CoinKey {
    /// The key of an output that can be spent, by itself and by nothing else; nil of others.
    init?(_ row: OutputRow, in wallet: WalletID) {
        guard row.output.spentBy == nil, row.reservedBy == nil, row.isSound else { return nil }
        if row.isFrozen { return nil }
        self.init(wallet, Pair<UInt64, Outpoint>(~row.output.amount, row.output.outpoint))
    }

    /// The key before those of a wallet's coins below an amount; no coin has it.
    init(_ wallet: WalletID, below amount: UInt64) {
        self.init(wallet, Pair<UInt64, Outpoint>(~(max(amount, 1) - 1), .null))
    }

    var outpoint: Outpoint { second.second }
}

extension AddressKey {
    package init(_ wallet: WalletID, _ branch: AddressRow.Branch, _ index: UInt32) {
        self.init(BranchKey(wallet, branch), index)
    }

    package var wallet: WalletID { first.first }
    package var branch: AddressRow.Branch { first.second }
    package var index: UInt32 { second }
}

extension KeyPrefix<AddressKey> {
    package static func wallet(_ wallet: WalletID) -> KeyPrefix {
        KeyPrefix(wallet) { $0.wallet }
    }
}

extension KeyPrefix<OutputKey> {
    /// The outputs of one transaction that a wallet owns.
    package static func wallet(_ wallet: WalletID, madeBy id: TransactionID) -> KeyPrefix {
        KeyPrefix(Pair(wallet, id)) { Pair($0.first, $0.second.txid) }
    }
}

// MARK: - Parts

extension UInt64: TableKey {
    package func append(to bytes: inout Bytes) { BigEndian.append(self, to: &bytes) }

    package init?(_ reader: inout KeyReader) {
        guard let bytes = reader.bytes(8) else { return nil }
        self = BigEndian.number(bytes)
    }
}

extension UInt32: TableKey {
    package func append(to bytes: inout Bytes) { BigEndian.append(self, to: &bytes) }

    package init?(_ reader: inout KeyReader) {
        guard let bytes = reader.bytes(4) else { return nil }
        self = BigEndian.number(bytes)
    }
}

extension Network: TableKey {
    package static func < (left: Network, right: Network) -> Bool {
        ChainID(.dash, left) < ChainID(.dash, right)
    }

    package func append(to bytes: inout Bytes) { KeyText(rawValue).append(to: &bytes) }

    package init?(_ reader: inout KeyReader) {
        guard let name = KeyText(&reader) else { return nil }
        self.init(rawValue: name.text)
    }
}

extension ChainID: TableKey {
    package func append(to bytes: inout Bytes) {
        KeyText(chain.rawValue).append(to: &bytes)
        network.append(to: &bytes)
    }

    package init?(_ reader: inout KeyReader) {
        guard let chain = KeyText(&reader).flatMap({ Chain(rawValue: $0.text) }),
            let network = Network(&reader)
        else { return nil }
        self.init(chain, network)
    }
}

extension TransactionID: TableKey {
    package func append(to bytes: inout Bytes) { bytes += displayed }

    package init?(_ reader: inout KeyReader) {
        guard let bytes = reader.bytes(32) else { return nil }
        self.init(displayed: Bytes(bytes))
    }
}

extension Outpoint: TableKey {
    package func append(to bytes: inout Bytes) {
        txid.append(to: &bytes)
        index.append(to: &bytes)
    }

    package init?(_ reader: inout KeyReader) {
        guard let id = TransactionID(&reader), let index = UInt32(&reader) else { return nil }
        self.init(id, index)
    }
}

extension AddressRow.Branch: TableKey {
    package static func < (left: Self, right: Self) -> Bool {
        (left.kind.rawValue, left.account, left.isChange ? 1 : 0)
            < (right.kind.rawValue, right.account, right.isChange ? 1 : 0)
    }

    package func append(to bytes: inout Bytes) {
        bytes.append(kind.rawValue)
        account.append(to: &bytes)
        bytes.append(isChange ? 1 : 0)
    }

    package init?(_ reader: inout KeyReader) {
        guard let kind = reader.bytes(1)?.first.flatMap(Kind.init), let account = UInt32(&reader),
            let change = reader.bytes(1)?.first, change < 2
        else { return nil }
        self.init(kind: kind, account: account, isChange: change == 1)
    }
}

// MARK: - Ids

extension EventID where Self: TableKey {
    package func append(to bytes: inout Bytes) { number.append(to: &bytes) }

    package init?(_ reader: inout KeyReader) {
        guard let number = UInt64(&reader) else { return nil }
        self.init(number)
    }
}

extension Position: TableKey {}
extension RequestID: TableKey {}
extension WalletID: TableKey {}
extension SessionID: TableKey {}
