import DaybookDomain
public import DaybookEncoding

extension Store {
    /// Asks to help a Dash or Axe payment into a block by a child that pays for it.
    ///
    /// The child spends an output of ours that the payment makes, and the rest comes back to the
    /// wallet: these networks replace no payment by a dearer one. What comes back is a request of
    /// its own, which waits for its user like any other; nobody else is told of it. Where there is
    /// nothing to bump it is refused: `unknownRequest`, `noPayment`, `notSent` while no node has
    /// the payment, `alreadyConfirmed`, `alreadyBumped`, `noOwnOutput`, `outputSpent`,
    /// `outputTooSmall`, `feeTooHigh`, `notOnICON`, `chainUnavailable`.
    public func bump(_ payment: RequestID) async throws -> WalletRequest {
        try await ask(for: .bump, of: payment)
    }

    /// Asks to cancel a Dash or Axe payment that no node has, by spending its coin to ourselves.
    ///
    /// Only one of the two can be executed. Until a block has one of them, both are in flight; the
    /// payment is not sent while its cancellation waits for its user or for its block. The request
    /// of the payment then ends as `cancelled`, or that of the cancellation as `failed`. It is
    /// refused with `alreadySent` where a node has the payment, `alreadyCancelled`,
    /// `isCancellation`, `coinsGone` and what `bump` says.
    public func cancel(_ payment: RequestID) async throws -> WalletRequest {
        try await ask(for: .cancel, of: payment)
    }

    private func ask(for remedy: Remedy, of payment: RequestID) async throws -> WalletRequest {
        try await facing {
            let frontEnd = journal.frontEnd
            let events = try await journal.record { _, _ in
                let asked = RemedyRequested(remedy: remedy, payment: payment, frontEnd: frontEnd)
                return [.init(.remedyRequested(asked), request: .own)]
            }
            probe?("request recorded")
            guard let id = events.lazy.compactMap(\.newRequest).first else {
                throw DaybookError(Refusal(.unknownRequest))
            }
            try await worker.run(for: id)
            return try view(id)
        }
    }
}
