import DaybookChains
package import DaybookEncoding

/// Where a request stands: what every list, view, door and report says of it.
///
/// `State.standing` makes it of a request and its payment, and nothing else does. The table of
/// `docs/NODES.md` is made from it.
package struct Standing: Equatable, Sendable {
    package let state: PaymentState
    package let status: Status
    /// The words after `request N`, such as `is sent; no block has it yet`.
    package let sentence: String
    /// Why it is so, in one clause.
    package let reason: String?
    /// The stable name of a refusal or a loss.
    package let code: String?
    /// A node's word about the transaction.
    package let nodeReason: NodeReason?
    /// The user's remedy: a command in it names a request, and is not refused.
    package let advice: String?

    /// The status that other programs see.
    package enum Status: String, CaseIterable, Sendable {
        case received, deferred, pending, signed, sent, completed
        case refused, coalesced, rejected, expired, failed, cancelled
    }
}

/// The facts that a request's standing follows from.
package struct Circumstances: Sendable {
    package let id: RequestID
    package let state: PaymentState
    /// Whether the request has ended as asked, and its caller was answered.
    package var isDone = false
    package var refusal: Refusal?
    /// The protocol that refused the link.
    package var link: String?
    package var loss: PaymentLoss?
    package var nodeReason: NodeReason?
    package var standstill: State.Standstill?
    /// The request that this one is a copy of, and whether it can be approved.
    package var original: (id: RequestID, canBeApproved: Bool)?
    package var cancellation: Cancellation = .none
    package var waitsFor = Awaited.block
    package var mayStillExecute = false
    package var wasToldPaid = false
    package var repetition = Repetition.now

    package init(_ id: RequestID, _ state: PaymentState) {
        (self.id, self.state) = (id, state)
    }

    /// How far the cancellation of a payment is.
    package enum Cancellation: Equatable, Sendable {
        case none
        /// It can be asked for.
        case possible
        /// A request for it waits for a node or, if it can be decided, for its user.
        case asked(RequestID, canBeApproved: Bool, isDeferred: Bool)
        /// It is signed: a block takes it or the payment.
        case inFlight(RequestID)
    }

    /// The event that a sent payment waits for.
    package enum Awaited: Sendable {
        case block, lock, deciding
    }

    /// When the same can be paid again, if its transaction may still be executed.
    package enum Repetition: Equatable, Sendable {
        case now
        /// After a time, once a node says that no block has the transaction.
        case after(String)
        /// Once the transaction that spends its coins can't be reorganized.
        case afterConflict

        fileprivate var condition: String {
            switch self {
            case .now: ""
            case .after(let time):
                "; not before \(time) and a sync after it, because a block may take this one until"
                    + " then"
            case .afterConflict:
                "; not before the transaction that spends its coins has "
                    + "\(RelayPolicy.finalConfirmations) confirmations"
            }
        }
    }
}

extension Standing {
    /// The standing that follows from what is known of a request.
    package init(_ known: Circumstances) {
        state = known.state
        status = known.status
        sentence = known.sentence
        reason = known.reason
        code = known.code
        nodeReason = known.showsNodeReason ? known.nodeReason : nil
        advice = known.advice
    }
}

extension Circumstances {
    fileprivate var status: Standing.Status {
        switch state {
        case .received: .received
        case .deferred: .deferred
        case .pending: .pending
        case .approved, .signed: .signed
        case .sent: .sent
        // After a lost answer, the chain may show what no caller was told of yet.
        case .locked, .confirmed: isDone ? .completed : .signed
        case .failedOnChain: isDone ? .failed : .signed
        case .answered: .completed
        case .refused: .refused
        case .coalesced: .coalesced
        case .rejected: .rejected
        case .expired: .expired
        case .failed, .dropped: .failed
        case .cancelled: .cancelled
        }
    }

    fileprivate var sentence: String {
        let because = reason.map { ": \($0)" } ?? ""
        switch state {
        case .received: return "is recorded, and nothing is decided yet"
        case .deferred: return "waits for a node's answer"
        case .pending: return "waits for your decision"
        case .approved, .signed:
            return "is signed, and no node has it: \(reason ?? "none has answered yet")"
        case .sent: return "is sent; \(reason ?? awaited)"
        case .locked, .confirmed, .failedOnChain:
            if !isDone { return "is signed, and the chain has it; the next sync tells its caller" }
            return loss == nil ? "is completed" : "has failed\(because)\(told)"
        case .answered: return "is completed"
        case .refused: return "is refused\(because)"
        case .coalesced: return reason ?? "repeats another request"
        case .rejected: return "is rejected\(warning)"
        case .expired: return "has expired"
        case .failed: return "has failed\(because)\(warning)"
        case .dropped: return "has failed\(because)\(told)\(warning)"
        case .cancelled: return "is cancelled\(because)"
        }
    }

    private var awaited: String {
        switch waitsFor {
        case .block: "no block has it yet"
        case .lock: "InstantSend's lock is awaited"
        case .deciding: "the block that decides is awaited"
        }
    }

    private var told: String { wasToldPaid ? "; the caller was told that it is paid" : "" }

    private var warning: String {
        mayStillExecute ? "; its transaction is signed and may still be executed" : ""
    }

    fileprivate var reason: String? {
        switch state {
        case .received, .deferred, .pending, .locked, .confirmed, .answered, .expired: nil
        case .approved, .signed, .sent:
            standstill?.sentence ?? cancelledBy ?? nodeReason?.sentence
        case .refused: refusal?.reason(inLink: link)
        case .rejected, .cancelled: refusal?.reason
        case .failed:
            refusal.map { [$0.reason, nodeReason?.sentence].compactMap(\.self) }?
                .joined(separator: ": ")
        case .dropped, .failedOnChain: loss?.sentence
        case .coalesced:
            original.map { original in
                "repeats request \(original.id): "
                    + "\(original.canBeApproved ? "approve" : "see") \(original.id)"
            }
        }
    }

    private var cancelledBy: String? {
        switch cancellation {
        case .none, .possible: nil
        case .asked(let id, _, _): "it is not sent while request \(id) to cancel it is open"
        case .inFlight(let id): "request \(id) cancels it, and a block takes one of the two"
        }
    }

    fileprivate var code: String? {
        switch state {
        case .refused, .rejected, .failed, .cancelled: refusal?.code.rawValue
        case .dropped, .failedOnChain: loss?.rawValue
        case .received, .deferred, .pending, .approved, .signed, .sent, .locked, .confirmed,
            .answered, .coalesced, .expired:
            nil
        }
    }

    fileprivate var showsNodeReason: Bool {
        switch state {
        case .signed, .sent: standstill == nil && cancelledBy == nil
        case .failed: true
        case .received, .deferred, .pending, .approved, .locked, .confirmed, .answered, .refused,
            .coalesced, .rejected, .expired, .dropped, .cancelled, .failedOnChain:
            false
        }
    }

    fileprivate var advice: String? {
        switch state {
        case .received, .deferred, .pending, .approved, .locked, .confirmed, .answered, .refused,
            .rejected, .expired, .cancelled:
            return nil
        case .coalesced:
            guard let original else { return nil }
            return original.canBeApproved
                ? decide(original.id) : "see that one: daybook show \(original.id)"
        case .signed, .sent:
            if let standstill { return standstill.advice(for: id) }
            if let advice = adviceOnCancellation { return advice }
            let reason = nodeReason ?? (state == .signed ? .noAnswer : nil)
            return reason?.advice(for: id, canBeCancelled: cancellation == .possible)
        case .failed:
            return nodeReason.map {
                $0.advice(for: id, canBeCancelled: false) + repetition.condition
            }
        case .dropped: return loss.map { $0.advice(for: id) + repetition.condition }
        case .failedOnChain: return isDone ? loss?.advice(for: id) : nil
        }
    }

    private func decide(_ id: RequestID) -> String {
        "decide that one: daybook approve \(id), or daybook reject \(id)"
    }

    private var adviceOnCancellation: String? {
        switch cancellation {
        case .none, .possible: nil
        case .asked(_, _, isDeferred: true): "wait until a node answers"
        case .asked(let id, canBeApproved: true, _): decide(id)
        case .asked(let id, _, _): "end that one: daybook reject \(id)"
        case .inFlight: "wait for a block"
        }
    }
}
