import DaybookChains
import Testing

/// The answers of Dash Core 21.1.1 and Axe Core 1.6.1.1, compared with those of the sandbox.
struct RecordedSessionTests {
    @Test(arguments: RecordedNodeSession.dash)
    func `the sandbox answers as Dash Core did`(step: RecordedNodeSession.Step) {
        if step.recorded.hasPrefix("refused for ") {
            let reason = String(step.recorded.dropFirst("refused for ".count))
            #expect(step.answered.hasPrefix(Self.sent(reason)), "\(step.recorded)")
        } else {
            #expect(step.answered == step.recorded)
        }
    }

    @Test(arguments: RecordedNodeSession.axe)
    func `the sandbox answers as Axe Core did`(step: RecordedNodeSession.Step) {
        // The recorded regtest let pass what is not standard until it was told otherwise.
        if step.label == "SRT dust 545" {
            #expect(step.recorded.hasPrefix("accepted"))
            #expect(step.answered == "-26 64: dust")
        } else {
            #expect(step.answered == step.recorded)
        }
    }

    @Test func `the sessions were not cut short`() {
        #expect(RecordedNodeSession.dash.count == 92)
        #expect(RecordedNodeSession.axe.count == 26)
    }

    /// The answer of sending where testing says this; -26 and the same word unless it is listed.
    private static func sent(_ reason: String) -> String {
        switch reason {
        case "missing-inputs": "-25 bad-txns-inputs-missingorspent"
        case "txn-already-known": "-27 Transaction already in block chain"
        case "txn-already-in-mempool": "accepted "
        case "max-fee-exceeded": "-25 Fee exceeds maximum"
        default: "-26 \(reason)"
        }
    }
}
