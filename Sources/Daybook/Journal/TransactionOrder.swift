import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes

extension TransactionSigned {
    /// The transaction as a node takes it.
    var outgoing: OutgoingTransaction { OutgoingTransaction(bytes: bytes, txid: txid) }
}

extension [TransactionSigned] {
    /// The transactions in an order in which each stands behind those whose outputs it spends.
    ///
    /// What does not depend on each other stays in its order, and so does all of ICON.
    var parentsFirst: [TransactionSigned] {
        let numbers = Dictionary(
            enumerated().map { ($1.txid, $0) }, uniquingKeysWith: { first, _ in first })
        var parents: [Set<Int>] = []
        var children: [[Int]] = Array<[Int]>(repeating: [], count: count)
        for (number, transaction) in enumerated() {
            let spent = (try? UTXOTransaction.parse(transaction.bytes))?.inputs ?? []
            let made = Set(spent.compactMap { numbers[$0.outpoint.displayed] })
                .subtracting([number])
            parents.append(made)
            for parent in made.sorted() { children[parent].append(number) }
        }
        var waiting = parents.map(\.count)
        var ready = indices.filter { waiting[$0] == 0 }
        var next = 0
        while next < ready.count {
            for child in children[ready[next]] {
                waiting[child] -= 1
                if waiting[child] == 0 { ready.append(child) }
            }
            next += 1
        }
        return ready.map { self[$0] }
    }
}
