import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookReplay

extension Store {
    /// The payments that are signed and in no block yet, in the order of their requests.
    ///
    /// Each says why no node has taken it, as far as one said so, and what it holds back. One that
    /// InstantSend or a ChainLock holds is final, and not among them. For example:
    ///
    ///     for payment in try await store.inFlight() where payment.request.status == .signed {
    ///         show(payment.request.reason, payment.request.advice)
    ///     }
    public func inFlight() throws -> [InFlightPayment] {
        try facing {
            let found = try journal.read { state in
                state.inFlight().compactMap { id in
                    state.request(id).map { row in
                        (
                            id: id, wallet: row.wallet,
                            standstill: state.standstill(of: id, row),
                            held: state.heldAmounts(by: id, row)
                        )
                    }
                }
            }
            return try found.map { payment in
                let (request, course) = try viewAndCourse(payment.id, readsEvents: true)
                return InFlightPayment(
                    request: request.onItsWay().standing(still: payment.standstill),
                    wallet: payment.wallet, since: course?.signed, asked: course?.answer?.time,
                    held: payment.held)
            }
        }
    }
}

extension State {
    /// What an unfinished payment holds back, each with its asset's unit.
    func heldAmounts(by id: RequestID, _ row: RequestRow) -> [InFlightPayment.Held] {
        guard let chain = row.request?.chain, let number = row.wallet,
            let network = wallets[number]?.wallet.network
        else { return [] }
        return held(by: id, row).map { reserve in
            let unit = unit(of: reserve.asset, chain, network)
            return InFlightPayment.Held(
                asset: reserve.asset, symbol: unit.symbol, decimals: unit.decimals,
                minor: reserve.amount.decimal)
        }
    }
}

/// What of a request's row says that its events have to be asked.
struct PaymentStanding {
    let loss: PaymentLoss?
    let chain: Chain?

    /// Nil where the row says all: the events of most requests need not be read.
    init?(_ row: RequestRow, _ state: State, readsEvents: Bool) {
        chain = row.request?.chain
        loss = state.loss(of: row)
        guard row.payment != nil else { return nil }
        if readsEvents { return }
        switch row.status {
        case .signed, .sent: break
        case .failed where row.txid != nil: break
        case .completed where loss != nil: break
        default: return nil
        }
    }
}
