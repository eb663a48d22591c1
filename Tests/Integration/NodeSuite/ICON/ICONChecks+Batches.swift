import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes

/// Several calls in one request, and chains that were seen before.
extension ICONChecks {
    static func batching<Driver: ICONDriver>() -> [Check<Driver>] {
        [
            Check("of more addresses than a request holds each has its own") { driver in
                let accounts = try (0..<25).map { _ in try Account() }
                try await driver.pay(accounts[3].address, loop: UInt256(300_000_007))
                try await driver.pay(accounts[22].address, loop: UInt256(1))
                let answer = try await driver.look(accounts.map(\.address))
                let held = answer.balances.filter { $0.amount != .zero }
                try expect("the number of balances", answer.balances.count, is: accounts.count)
                try expect(
                    "who has something", held.map(\.address),
                    is: [accounts[3].address.text, accounts[22].address.text])
                try expect(
                    "how much", held.map(\.amount), is: [UInt256(300_000_007), UInt256(1)])
            },
            Check("one that is refused among several leaves the others") { driver in
                let (payer, other) = (try await funded(driver), try Account())
                let limit = try await fees(driver).steps.transfer
                var all: [SignedTransaction] = []
                for (index, signer) in [payer, other, payer].enumerated() {
                    var draft = try await payer.pay(other.address, UInt256(7), on: driver)
                    draft.timestamp += UInt64(index)
                    all.append(try signer.sign(draft, steps: limit))
                }
                let answers = await driver.client.broadcast(
                    all.map { .init(bytes: $0.bytes, txid: $0.hash) })
                try expect(
                    "the answers", answers.map(\.answer), is: [.accepted, .refused, .accepted])
                try await driver.advance()
                try expect(
                    "what arrived", try await driver.balance(other.address), is: UInt256(14))
            },
            Check("nothing to send has no answers") { driver in
                try expect("the answers", await driver.client.broadcast([]), is: [])
            },
            Check("the block that was seen last is known again, another is not") { driver in
                try refuseSandbox(driver)
                let answer = try await driver.look()
                var question = ChainQuery()
                question.networkIDs = [driver.nid]
                question.identity = answer.identity
                question.tip = .init(height: answer.height, hash: answer.tip)
                let again = try await driver.client.observe(question, progress: nil)
                try expect("the identity", again.identity, is: answer.identity)
                question.tip = .init(
                    height: answer.height, hash: answer.tip.map { $0 ^ 0xff })
                try await expectWrongChain(question, driver.client)
            },
            Check("another network of the same id is told by its block 1") { driver in
                try refuseSandbox(driver)
                try await driver.advance()
                let identity = try require(
                    try await driver.look().identity, "there is no identity")
                var question = ChainQuery()
                question.networkIDs = [driver.nid]
                question.identity = ChainIdentityText.ofAnother(identity)
                try await expectWrongChain(question, driver.client)
            },
        ]
    }

    static func refuseSandbox(_ driver: some ICONDriver) throws(NotPossible) {
        guard driver.network != .sandbox else {
            throw NotPossible("the sandbox is no real network")
        }
    }

    /// Checks for nodes alone.
    package static func ofNodes() -> [Check<NodeICONDriver>] {
        [
            Check("a request of ten calls is answered, one of eleven is refused") { driver in
                let answers = try await driver.calls.batch(
                    "icx_getLastBlock", count: Self.mostCalls)
                try expect("the number of answers", answers?.count, is: Self.mostCalls)
                let more = try await driver.calls.batch(
                    "icx_getLastBlock", count: Self.mostCalls + 1)
                if more != nil { throw NotPossible("this node takes more than goloop's default") }
            }
        ]
    }

    /// goloop's own limit.
    private static let mostCalls = 10
}
