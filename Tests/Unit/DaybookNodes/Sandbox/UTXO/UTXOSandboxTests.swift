import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookNodes
import Testing

struct UTXOSandboxTests {
    @Test(arguments: [Chain.dash, .axe])
    func `a chain begins with a faucet, at a height at which its coins are mature`(
        chain: Chain
    ) throws {
        let sandbox = Self.sandbox(chain)
        #expect(sandbox.tip.height == 100)
        #expect(sandbox.tip.time == 0)
        #expect(sandbox.blockHash(at: 100) == sandbox.tip.hash)
        #expect(sandbox.blockHash(at: 101) == nil)
        #expect(sandbox.blockHash(at: 0) != nil)
        #expect(sandbox.rows.scan(prefix: [], after: nil, limit: 1).isEmpty)
    }

    @Test(arguments: [Chain.dash, .axe])
    func `funding pays an address with a transaction of the faucet's`(chain: Chain) throws {
        var sandbox = Self.sandbox(chain)
        let payer = Payer(1, sandbox.parameters)
        let txid = try sandbox.fund(payer.address, amount: 150_000_000)
        let outputs = sandbox.outputs(of: [payer.script])
        #expect(outputs.count == 1)
        #expect(outputs[0].outpoint.txid == txid)
        #expect(outputs[0].amount == 150_000_000)
        #expect(outputs[0].height == nil)
        #expect(outputs[0].isLocked)
        #expect(!outputs[0].isCoinbase)
        #expect(sandbox.status(of: txid) == .inMempool(isLocked: true))

        let bytes = try #require(sandbox.transaction(txid))
        let transaction = try UTXOTransaction.parse(bytes)
        #expect(transaction.txid == txid)
        #expect(transaction.outputs.contains { $0.amount == 150_000_000 })
        #expect(sandbox.submit(bytes) == .accepted(txid))
    }

    @Test func `the faucet pays a hundred times without a block, and more than one coin at once`()
        throws {
        var sandbox = Self.sandbox()
        let payer = Payer(1, sandbox.parameters)
        for _ in 0..<120 { _ = try sandbox.fund(payer.address, amount: Duffs.perCoin) }
        #expect(sandbox.unspent(payer).count == 120)
        sandbox.mine(1, at: 1)
        #expect(sandbox.unspent(payer).allSatisfy { $0.height == 101 })
        _ = try sandbox.fund(payer.address, amount: 500_000 * Duffs.perCoin)
        #expect(sandbox.unspent(payer).last?.amount == 500_000 * Duffs.perCoin)
    }

    @Test func `the faucet refuses the payments that a node's wallet refuses`() {
        var sandbox = Self.sandbox()
        let payer = Payer(1, sandbox.parameters)
        let refusals: [(UInt64, UTXORefusal)] = [
            (545, UTXORefusal(code: -26, message: "dust")),
            (2_000_000 * Duffs.perCoin, UTXORefusal(code: -6, message: "Insufficient funds")),
            (Duffs.maximum + 1, UTXORefusal(code: -3, message: "Amount out of range")),
        ]
        for (amount, refusal) in refusals {
            #expect(throws: refusal) { try sandbox.fund(payer.address, amount: amount) }
        }
        var regtest = UTXOSandbox(MemoryRows(), UTXOParameters.of(.dash, .regtest)!)
        #expect(throws: UTXORefusal(code: -6, message: "Insufficient funds")) {
            try regtest.fund(payer.address, amount: 1000)
        }
    }

    @Test func `a block takes the mempool in its order and pays the miner the fees`() throws {
        var sandbox = Self.sandbox()
        let (payer, miner) = (Payer(1, sandbox.parameters), Payer(2, sandbox.parameters))
        let first = try sandbox.fund(payer.address, amount: 1_000_000)
        let child = payer.send(sandbox.unspent(payer), to: miner.script)
        #expect(sandbox.answer(child) == "accepted")
        sandbox.mine(2, at: 5_000_000, to: Script(miner.script))

        #expect(sandbox.tip.height == 102)
        #expect(sandbox.tip.time == 5_000_000)
        #expect(sandbox.status(of: first) == .inBlock(height: 101, isLocked: true))
        #expect(sandbox.status(of: child.txid) == .inBlock(height: 101, isLocked: true))
        let mined = sandbox.outputs(of: [miner.script]).filter(\.isCoinbase)
        #expect(mined.map(\.amount) == [500 * Duffs.perCoin + 226 + 1000, 500 * Duffs.perCoin])
        #expect(mined.map(\.height) == [101, 102])
        let spent = sandbox.outputs(of: [payer.script])
        #expect(spent[0].spender?.txid == child.txid)
        #expect(spent[0].spender?.height == 101)
    }

    @Test func `outputs are told in order, each once, the spent with their spender`() throws {
        var sandbox = Self.sandbox()
        let (payer, other) = (Payer(1, sandbox.parameters), Payer(2, sandbox.parameters))
        for amount in [3000, 1000, 2000] as [UInt64] {
            _ = try sandbox.fund(payer.address, amount: amount)
            sandbox.mine(1, at: 0)
        }
        _ = try sandbox.fund(other.address, amount: 4000)
        let outputs = sandbox.outputs(of: [other.script, payer.script, other.script])
        #expect(outputs.map(\.amount) == [3000, 1000, 2000, 4000])
        #expect(outputs.map(\.height) == [101, 102, 103, nil])
        let spending = payer.send([outputs[1]], to: other.script, fee: 300)
        #expect(sandbox.answer(spending) == "accepted")
        let again = sandbox.outputs(of: [payer.script])
        let spender = try #require(again[1].spender)
        #expect(spender.txid == spending.txid)
        #expect(spender.height == nil)
        #expect(sandbox.outputs(of: [Script.p2sh(Bytes(repeating: 0, count: 20)).bytes]).isEmpty)
    }

    @Test func `a transaction that was never seen is unknown`() throws {
        let sandbox = Self.sandbox()
        let txid = try #require(TransactionID(Bytes(repeating: 1, count: 32)))
        #expect(sandbox.status(of: txid) == .unknown)
        #expect(sandbox.transaction(txid) == nil)
    }

    @Test func `the same calls give the same rows`() throws {
        let (left, right) = (try Self.lively(), try Self.lively())
        #expect(left.tip == right.tip)
        let rows = left.rows.scan(prefix: [], after: nil, limit: 10_000)
        #expect(rows == right.rows.scan(prefix: [], after: nil, limit: 10_000))
        #expect(rows.allSatisfy { $0.key.starts(with: Bytes("dash/".utf8)) })
        // Written down once: an id that changes would lose the chains that people have.
        #expect(
            left.tip.hash.hex
                == "d8762ab76bb4ba6c235b19859f702a9dfd7e54eb0929f2981c4751ec9ab98c81")
    }

    @Test func `two chains in the same rows do not meet`() throws {
        var dash = Self.sandbox(.dash)
        let payer = Payer(1, dash.parameters)
        _ = try dash.fund(payer.address, amount: 1000)
        dash.mine(3, at: 0)
        let axe = UTXOSandbox(dash.rows, UTXOParameters.of(.axe, .sandbox)!)
        #expect(axe.tip.height == 100)
        #expect(axe.outputs(of: [payer.script]).isEmpty)
        #expect(axe.tip.hash != Self.sandbox(.dash).tip.hash)
    }

    /// A chain on which some of everything has happened.
    private static func lively() throws -> UTXOSandbox {
        var sandbox = sandbox()
        let payer = Payer(1, sandbox.parameters)
        for amount in [70_000, 90_000] as [UInt64] {
            _ = try sandbox.fund(payer.address, amount: amount)
        }
        sandbox.mine(2, at: 1_000_000, to: Script(payer.script))
        let sent = payer.send([sandbox.unspent(payer)[0]], to: payer.script)
        #expect(sandbox.answer(sent) == "accepted")
        let isDone = sandbox.reorganise(1, at: 2_000_000)
        #expect(isDone)
        sandbox.mine(1, at: 3_000_000)
        return sandbox
    }

    private static func sandbox(_ chain: Chain = .dash) -> UTXOSandbox {
        UTXOSandbox(MemoryRows(), UTXOParameters.of(chain, .sandbox)!)
    }
}
