import DaybookEncoding
import Testing

@testable import DaybookDomain

/// Nodes' reasons for not taking a transaction, and the words for users.
struct NodeReasonTests {
    @Test(arguments: [
        ("min relay fee not met, 100 < 225", NodeReason.feeBelowRelay),
        ("66: min relay fee not met", .feeBelowRelay),
        ("mempool min fee not met, 300 < 450", .feeTooLow),
        ("66: mempool min fee not met", .feeTooLow),
        (
            "too-long-mempool-chain, too many unconfirmed ancestors [limit: 25]",
            .tooManyUnconfirmed
        ),
        ("64: too-long-mempool-chain", .tooManyUnconfirmed),
        ("txn-mempool-conflict", .mempoolConflict), ("18: txn-mempool-conflict", .mempoolConflict),
        ("bad-txns-inputs-missingorspent", .coinsSpent), ("Missing inputs", .coinsSpent),
        ("dust", .dust), ("64: dust", .dust),
        ("Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)", .feeTooHigh),
        ("256: absurdly-high-fee", .feeTooHigh), ("non-final", .notFinal),
        ("64: non-BIP68-final", .notFinal), ("bad-txns-vout-negative", .invalid),
    ]) func `refusals of Dash Core and Axe Core have meanings`(text: String, reason: NodeReason) {
        #expect(NodeReason(coreText: text) == reason)
    }

    @Test(arguments: ["", "dusty", "a word of tomorrow", "TXN-MEMPOOL-CONFLICT"])
    func `a text of no known version has no meaning`(text: String) {
        #expect(NodeReason(coreText: text) == nil)
    }

    @Test(arguments: [
        (-31000, "SystemError: E2002:Expired(min-985.732ms)", NodeReason.tooOld),
        (-31000, "SystemError: E2003:FutureTx(max+1.999394s)", .tooEarly),
        (-31000, "SystemError: E1006:ValidateNetwork(nid=0x3) fail", .wrongNetwork),
        (-31000, "SystemError: E2106:OutOfBalance(balance:0, value:1)", .insufficientBalance),
        (-31000, "SystemError: E2105:NotEnoughStep(txStepLimit:99999, minStep:100000)",
            .tooFewSteps),
        (-32602, "InvalidParams: fail to unmarshal", .invalid),
        (-26, "dust", .dust), (-25, "bad-txns-inputs-missingorspent", .coinsSpent),
        (-26, "simulated", .invalid),
    ]) func `a recorded refusal says why`(code: Int, text: String, reason: NodeReason) {
        let refused = BroadcastAnswered(answer: .refused, code: Int64(code), message: text)
        #expect(NodeReason(refused) == reason)
    }

    @Test func `reasons recorded in our own words are found again by them`() {
        for reason in NodeReason.allCases where reason.isPassing {
            let open = BroadcastAnswered(answer: .unknown, message: reason.rawValue)
            #expect(NodeReason(open) == reason)
        }
        for words in ["warming up", "wrong password", "syncing", ""] {
            let open = BroadcastAnswered(answer: .unknown, message: words)
            #expect(NodeReason(open) == .noAnswer)
        }
        #expect(NodeReason(BroadcastAnswered(answer: .accepted)) == nil)
    }

    @Test func `every reason has a sentence of its own and advice`() {
        #expect(Set(NodeReason.allCases.map(\.sentence)).count == NodeReason.allCases.count)
        for reason in NodeReason.allCases {
            #expect(!reason.advice(for: RequestID(7), canBeCancelled: true).isEmpty)
        }
    }

    @Test func `no advice names a cancellation that would be refused`() {
        for reason in NodeReason.allCases {
            #expect(!reason.advice(for: RequestID(7), canBeCancelled: false).contains("cancel"))
        }
    }
}
