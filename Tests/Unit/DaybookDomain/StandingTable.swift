import DaybookEncoding
import Testing

@testable import DaybookDomain

/// The words about a request in each state, as `Tests/Fixtures/standing.md` has them.
enum StandingTable {
    /// Samples of every state; in texts, N is the request and M another one.
    static let samples: [Circumstances] = PaymentState.allCases.flatMap { state in
        variants(of: state).map { change in
            var known = Circumstances(Self.request, state)
            known.isDone = true
            change(&known)
            return known
        }
    }

    private static let request: RequestID = 77_777
    private static let other: RequestID = 88_888

    private typealias Change = (inout Circumstances) -> Void

    private static func variants(of state: PaymentState) -> [Change] {
        switch state {
        case .received, .deferred, .pending, .approved, .locked, .confirmed, .answered, .expired:
            [{ _ in }]
        case .signed:
            [
                { _ in },
                { ($0.nodeReason, $0.cancellation) = (.feeTooLow, .possible) },
                { $0.cancellation = .asked(other, canBeApproved: true, isDeferred: false) },
                { $0.cancellation = .inFlight(other) },
                { $0.standstill = .coinsOutOfSight },
                { $0.standstill = .walletRemoved },
            ]
        case .sent:
            [
                { _ in }, { $0.waitsFor = .lock }, { $0.waitsFor = .deciding },
                { $0.nodeReason = .mempoolConflict },
            ]
        case .refused: [{ $0.refusal = Refusal(.invalidAddress) }]
        case .coalesced:
            [{ $0.original = (other, true) }, { $0.original = (other, false) }]
        case .rejected: [{ _ in }, { $0.mayStillExecute = true }]
        case .failed:
            [
                { ($0.refusal, $0.nodeReason) = (Refusal(.refusedByNode), .dust) },
                {
                    ($0.refusal, $0.nodeReason) = (Refusal(.refusedByNode), .tooOld)
                    $0.mayStillExecute = true
                    $0.repetition = .after("2026-11-26 21:08:00 UTC")
                },
            ]
        case .dropped:
            [
                { ($0.loss, $0.wasToldPaid) = (.dropped, true) },
                {
                    ($0.loss, $0.mayStillExecute) = (.conflicted, true)
                    $0.repetition = .afterConflict
                },
            ]
        case .cancelled: [{ $0.refusal = Refusal(.cancelledAfterAnswer) }]
        case .failedOnChain: [{ ($0.loss, $0.wasToldPaid) = (.failedOnChain, true) }]
        }
    }

    static func lines() -> [String] {
        var lines = ["| state | status | request N … | what to do |", "|---|---|---|---|"]
        for known in samples {
            let standing = Standing(known)
            lines.append(
                "| `\(known.state.rawValue)` | `\(standing.status.rawValue)` | "
                    + "\(standing.sentence) | \(standing.advice ?? "") |")
        }
        return lines.map {
            $0.replacing("\(request)", with: "N").replacing("\(other)", with: "M")
        }
    }
}

/// One function says where a request stands.
struct StandingTests {
    @Test func `every state has a status, and every status a state`() {
        let standings = StandingTable.samples.map { Standing($0) }
        #expect(Set(standings.map(\.state)) == Set(PaymentState.allCases))
        #expect(Set(standings.map(\.status)) == Set(Standing.Status.allCases))
        for standing in standings {
            #expect(!standing.sentence.isEmpty && !standing.sentence.contains("nil"))
        }
    }

    @Test func `a payment on the chain is not completed before its caller is told`() {
        for state in [PaymentState.locked, .confirmed, .failedOnChain] {
            #expect(Standing(Circumstances(7, state)).status == .signed)
        }
    }

    @Test func `a payment that is being cancelled is not to be cancelled again`() {
        var known = Circumstances(7, .signed)
        known.nodeReason = .feeTooLow
        known.cancellation = .possible
        #expect(Standing(known).advice?.contains("daybook cancel 7") == true)
        for open in [
            Circumstances.Cancellation.none, .inFlight(9),
            .asked(9, canBeApproved: true, isDeferred: false),
            .asked(9, canBeApproved: false, isDeferred: true),
        ] {
            known.cancellation = open
            #expect(Standing(known).advice?.contains("cancel 7") == false, "\(open)")
        }
    }
}
