import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay

extension Journal {
    /// The transaction that a request has signed, as its event says.
    ///
    /// The state says only which request signed which transaction. Its rows are derived, and
    /// whoever can write them could have anything sent: the bytes come from the log alone.
    ///
    /// - Throws: `LogError.damaged` if no event of the request agrees with what the state says.
    func signed(by request: RequestID, _ txid: Bytes) throws -> TransactionSigned {
        let signed = try log.read { log -> TransactionSigned? in
            // Nearly always it is among the last ones.
            for position in try log.positions(ofRequest: request.number).reversed() {
                guard let record = try log.record(at: position), record.requestID == request,
                    record.type == TransactionSigned.type,
                    case .transactionSigned(let data) = try Recording.event(record)?.payload,
                    data.txid == txid
                else { continue }
                return data
            }
            return nil
        }
        guard let signed else {
            throw LogError.damaged(
                position: request.number,
                reason: "state: no event of the request signed the transaction that its row names")
        }
        return signed
    }
}
