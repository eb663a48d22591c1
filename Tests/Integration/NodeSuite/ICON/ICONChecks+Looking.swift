import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import DaybookSystem

extension ICONChecks {
    static func looking<Driver: ICONDriver>() -> [Check<Driver>] {
        naming() + [
            Check("the tip is the network's") { driver in
                let before = try await driver.height()
                let answer = try await driver.look()
                let after = try await driver.height()
                try expect(
                    (before...after).contains(answer.height), "the height is \(answer.height)")
                try expect("the length of its hash", answer.tip.count, is: 32)
            },
            Check("a chain of the same id and another block 1 is told, when a node is checked") {
                driver in
                try await driver.advance()
                var known = ChainQuery()
                known.networkIDs = [driver.nid]
                try await expectIdentity(of: driver.client, known)
            },
            Check("an address that nobody paid has zero") { driver in
                let account = try Account()
                try expect("its balance", try await driver.balance(account.address), is: .zero)
            },
            Check("a payment is there, to the loop") { driver in
                let account = try await funded(driver)
                try expect("its balance", try await driver.balance(account.address), is: icx)
            },
            Check("a transaction that nobody made is in no block") { driver in
                let hash = try Entropy.bytes(32)
                let status = try await driver.look(transactions: [hash]).status(hash)
                try expect(status?.isGone != false, "it waits or is in a block")
            },
            Check("a token says what it is called, and who has how much") { driver in
                let token = try knownToken(driver)
                let account = try Account()
                let before = try await driver.balance(account.address, of: token)
                try expect("the balance before", before, is: .zero)
                try await driver.payTokens(account.address, amount: UInt256(12345))
                let answer = try await driver.look([account.address], tokens: [token])
                let named = answer.tokens.filter { $0.contract == token.text }
                try expect("the number of descriptions", named.count, is: 1)
                try expect(!named[0].symbol.isEmpty, "it has no symbol")
                try expect(named[0].decimals <= 77, "it has \(named[0].decimals) decimals")
                let held = answer.balances.filter { $0.asset == token.text }
                try expect("the amounts", held.map(\.amount), is: [UInt256(12345)])
            },
        ]
    }

    private static func naming<Driver: ICONDriver>() -> [Check<Driver>] {
        [
            Check("a real network is named by its id") { driver in
                try refuseSandbox(driver)
                let wanted = "nid 0x" + String(driver.nid, radix: 16)
                let identity = try await driver.look().identity
                // Of a chain that anyone may start the identity names block 1 as well.
                try expect(
                    "the identity", identity?.split(separator: ",").first.map(String.init),
                    is: wanted)
            },
            Check("a wallet of another network id gets no answer") { driver in
                try refuseSandbox(driver)
                var question = ChainQuery()
                question.networkIDs = [driver.nid + 1]
                do {
                    _ = try await driver.client.observe(question, progress: nil)
                } catch let failure as ChainFailure {
                    return try expect("the reason", failure.reason, is: .wrongChain)
                }
                throw Broken(description: "it gets one")
            },
        ]
    }

    static func knownToken(_ driver: some ICONDriver) throws(NotPossible) -> ICONAddress {
        guard let token = driver.token else { throw NotPossible("no token contract is known") }
        return token
    }
}
