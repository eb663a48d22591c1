import DaybookChains
import DaybookEncoding

/// Laws that hold in the end, once the faults have stopped.
extension Model {
    /// The chain's transactions must be those of the log.
    func compare(_ isOnChain: (Bytes) -> Bool) {
        for (txid, id) in owners.sorted(by: { $0.value < $1.value }) where isOnChain(txid) {
            if requests[id]?.failed == true, !wasDenied(txid) {
                find("request \(id) failed, but its transaction is on the chain")
            }
        }
    }

    /// A user who was told that a first payment had failed does not pay twice.
    ///
    /// A user who was told that it succeeded after all may pay a second time. Two things tell it:
    /// the prompt of this payment, or of one that the user agreed to before it, says that the first
    /// was executed; or the user made the first again, by the same transaction to the byte, and
    /// that request had succeeded when this one was approved.
    func comparePayments(_ isPaid: (Bytes) -> Bool) {
        let paid = requests.filter { $0.value.method != "sign" && $0.value.target == nil }
            .filter { $0.value.txid.map(isPaid) ?? false }.sorted { $0.key < $1.key }
        for (id, request) in paid {
            guard let paidAt = request.paidAt, let lines = agreed(request) else { continue }
            for (earlier, other) in paid where earlier != id && other.txid != request.txid {
                guard let endedAt = other.endedAt, endedAt < paidAt,
                    let before = agreed(other), Self.terms(before) == Self.terms(lines),
                    !isTold(of: other.txid, by: paidAt)
                else { continue }
                find("requests \(earlier) and \(id) pay the same twice")
            }
        }
    }

    /// Whether the user knew by then that a transaction was executed, by any of its requests.
    private func isTold(of txid: Bytes?, by position: UInt64) -> Bool {
        let warnings = requests.values.filter { ($0.paidAt ?? .max) <= position }
            .compactMap { agreed($0)?["warnings"] }
        return requests.contains { id, request in
            guard request.txid == txid else { return false }
            if warnings.contains(where: { $0.contains("(request \(id)) was executed") }) {
                return true
            }
            guard let sentAt = request.sentAt else { return false }
            return sentAt < position && position < request.endedAt ?? .max
        }
    }

    private func agreed(_ request: Request) -> [String: String]? {
        request.decision?.data["prompt"]?.bytesValue.flatMap { request.shown[$0] }
    }

    private static func terms(_ lines: [String: String]) -> [String?] {
        ["chain", "network", "from", "to", "contract", "minor", "value", "data"].map { lines[$0] }
    }

    /// Whether a request has signed a payment of coins that its chain has not, or no longer.
    ///
    /// It waits for them, because they may still be mined.
    func waitsForCoins(_ id: RequestID) -> Bool {
        requests[id]?.ends.isEmpty == true && lacksCoins(id)
    }

    /// The same of a request whose caller may have been told.
    func lacksCoins(_ id: RequestID) -> Bool {
        guard let bytes = requests[id]?.signed, let transaction = try? UTXOTransaction.parse(bytes)
        else { return false }
        return transaction.inputs.contains { input in
            [Chain.dash, .axe].allSatisfy { worth($0, input.outpoint) == nil }
        }
    }

    /// The wallets whose coins such payments hold back.
    var waitingWallets: Set<WalletID> {
        Set(
            requests.keys.filter(waitsForCoins).compactMap {
                requests[$0]?.decision?.wallet
            })
    }

    /// The wallets of payments that count as made and lack coins: what they pay back to the wallet
    /// stays unconfirmed, because a reorganization may bring the coins back.
    var lackingWallets: Set<WalletID> {
        Set(
            requests.filter { id, request in
                request.sentAt != nil && !request.failed && !request.isCancelled && lacksCoins(id)
            }.compactMap { $0.value.decision?.wallet })
    }

    /// Whether a payment waits for what another made that a node took, denied and then lost.
    ///
    /// That one counts as failed, nobody sends it again, and what becomes of both is open.
    func waitsForWhatWasDenied(_ isOnChain: (Bytes) -> Bool) -> Bool {
        owners.contains { txid, id in
            requests[id]?.failed == false && !denied.contains(txid) && wasDenied(txid)
                && !isOnChain(txid)
        }
    }

    /// The requests' transactions, with payers and amounts.
    var owned: [(txid: Bytes, request: RequestID)] {
        owners.map { ($0.key, $0.value) }.sorted { $0.request < $1.request }
    }
}
