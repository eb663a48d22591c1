import DaybookChains
package import DaybookDomain
package import DaybookEncoding

extension ICONNode {
    /// Sends the params that were signed, to the byte, and settles by the hash what is unclear.
    package func broadcast(_ bytes: Bytes, txid: Bytes) async -> BroadcastAnswered {
        // What is signed is printed as it was parsed, or else it is not sent.
        guard let transaction = try? JSON.parse(bytes), Bytes(transaction.text().utf8) == bytes
        else { return BroadcastAnswered(answer: .refused, message: "not a transaction's params") }
        do {
            let hash = try await calls.send(transaction)
            return hash == "0x" + Hex.encode(txid)
                ? BroadcastAnswered(answer: .accepted)
                : await settle(
                    txid, BroadcastAnswered(answer: .unknown, message: "another transaction id"))
        } catch {
            return await settle(txid, answer(error, to: transaction))
        }
    }

    /// The answer to a send that brought an error, by the error alone.
    private func answer(_ failure: RPCFailure, to transaction: JSON) -> BroadcastAnswered {
        switch failure {
        case .unusable(let failure):
            return BroadcastAnswered(answer: .unknown, message: failure.reason.rawValue)
        case .node(let code, let message):
            let refusal: Refusal.Code?
            switch ICONVerdict(code: code, message: message) {
            case .isThere: return BroadcastAnswered(answer: .accepted)
            case .open(let reason):
                return BroadcastAnswered(answer: .unknown, message: reason.rawValue)
            case .final: refusal = nil
            case .insufficientBalance: refusal = .insufficientBalance
            case .wrongTime: refusal = isOfNow(transaction) ? .clockOff : nil
            }
            return BroadcastAnswered(
                answer: .refused, code: code, message: message, refusal: refusal)
        }
    }

    /// Whether a transaction's time is near ours: a node that refuses it has another time.
    private func isOfNow(_ transaction: JSON) -> Bool {
        guard let time = transaction["timestamp"]?.stringValue.flatMap(ICONInteger.parseSmall)
        else { return false }
        let now = clock()
        return max(now, time) - min(now, time) <= ICONClock.tolerance
    }

    /// The answer once the node was asked for the transaction: if it has that, it has accepted it,
    /// whatever it says to the send. One that a block took is soon refused as too old.
    private func settle(_ txid: Bytes, _ answer: BroadcastAnswered) async -> BroadcastAnswered {
        if answer.answer == .accepted { return answer }
        do {
            if try await calls.value(ICONCalls.status(of: txid)) != nil {
                return BroadcastAnswered(answer: .accepted)
            }
            // What a node of another network refuses, this one may have taken before.
            if answer.answer == .refused { _ = try await possibleID() }
            return answer
        } catch {
            return BroadcastAnswered(answer: .unknown, message: error.reason.rawValue)
        }
    }
}
