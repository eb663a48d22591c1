/// The unconfirmed transactions that a new one would depend on, and what nodes allow of them.
///
/// A node refuses a transaction (`too-long-mempool-chain`) that has more than 25 unconfirmed
/// ancestors or 101 000 bytes of them, or that gives an ancestor more than 25 descendants or
/// 101 000 bytes of them; each counts itself (`validation.h` of Dash Core 21.1.1 and Axe Core
/// 1.6.1.1). Transactions of others that the wallet does not know count too, so that a node can
/// still refuse what is allowed here.
package struct MempoolPackage: Equatable, Sendable {
    /// An unconfirmed transaction, with its descendants.
    package struct Member: Equatable, Sendable {
        package let txid: TransactionID
        /// Bytes.
        package let size: UInt64
        /// The unconfirmed transactions that depend on it, and itself.
        package let descendants: Int
        /// Their bytes.
        package let descendantSize: UInt64

        package init(
            _ txid: TransactionID, size: UInt64, descendants: Int, descendantSize: UInt64
        ) {
            self.txid = txid
            self.size = size
            self.descendants = descendants
            self.descendantSize = descendantSize
        }
    }

    /// Each of them once.
    package private(set) var members: [Member]

    /// A package of some transactions, of which no two are the same.
    package init(_ members: [Member] = []) {
        self.members = members
    }

    /// Adds the transactions of another package.
    package mutating func formUnion(_ other: MempoolPackage) {
        for member in other.members where !members.contains(where: { $0.txid == member.txid }) {
            members.append(member)
        }
    }

    /// Whether nodes take a transaction of some bytes that depends on all of these.
    package func takes(childOf bytes: UInt64) -> Bool {
        let size = members.reduce(bytes) { $0 + $1.size }
        return members.count + 1 <= RelayPolicy.ancestorLimit
            && (members.isEmpty || size <= RelayPolicy.packageLimit)
            && members.allSatisfy {
                $0.descendants + 1 <= RelayPolicy.ancestorLimit
                    && $0.descendantSize + bytes <= RelayPolicy.packageLimit
            }
    }
}
