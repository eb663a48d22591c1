import DaybookChains
import DaybookEncoding
import DaybookNodes
import Testing

struct UTXOReorganisingTests {
    private let parameters = UTXOParameters.of(.dash, .sandbox)!

    @Test func `lost blocks give their transactions back and others take their heights`() throws {
        var sandbox = UTXOSandbox(MemoryRows(), parameters)
        let (payer, other) = (Payer(1, parameters), Payer(2, parameters))
        let funding = try sandbox.fund(payer.address, amount: 1_000_000)
        sandbox.mine(1, at: 10)
        let child = payer.send(sandbox.unspent(payer), to: other.script)
        #expect(sandbox.answer(child) == "accepted")
        sandbox.mine(1, at: 20)
        let lost = sandbox.tip
        let waiting = other.send(sandbox.unspent(other), to: payer.script)
        #expect(sandbox.answer(waiting) == "accepted")

        #expect(sandbox.reorganise(2, at: 30) == true)
        #expect(sandbox.tip.height == 103)
        #expect(sandbox.tip.time == 30)
        #expect(sandbox.blockHash(at: lost.height) != lost.hash)
        for txid in [funding, child.txid, waiting.txid] {
            #expect(sandbox.status(of: txid) == .inMempool(isLocked: true))
        }
        #expect(sandbox.outputs(of: [payer.script]).allSatisfy { $0.height == nil })
        #expect(sandbox.submit(child.serialized()) == .accepted(child.txid))

        sandbox.mine(1, at: 40)
        for txid in [funding, child.txid, waiting.txid] {
            #expect(sandbox.status(of: txid) == .inBlock(height: 104, isLocked: true))
        }
    }

    @Test func `a spend of a lost coinbase is lost with all that depends on it`() throws {
        var sandbox = UTXOSandbox(MemoryRows(), parameters)
        let payer = Payer(1, parameters)
        sandbox.mine(1, at: 0, to: Script(payer.script))
        sandbox.mine(99, at: 0)
        let coinbase = try #require(sandbox.unspent(payer).first)
        let spending = payer.send([coinbase], to: payer.script)
        #expect(sandbox.answer(spending) == "accepted")
        let child = payer.send(sandbox.unspent(payer), to: payer.script)
        #expect(sandbox.answer(child) == "accepted")

        #expect(sandbox.reorganise(100, at: 1) == true)
        #expect(sandbox.tip.height == 201)
        #expect(sandbox.status(of: spending.txid) == .unknown)
        #expect(sandbox.status(of: child.txid) == .unknown)
        #expect(sandbox.outputs(of: [payer.script]).isEmpty)
        #expect(sandbox.answer(spending) == "-25 bad-txns-inputs-missingorspent")
    }

    @Test func `a rival that was refused is accepted once the coin is free again`() throws {
        var sandbox = UTXOSandbox(MemoryRows(), parameters)
        sandbox.switches.withholdsLocks = true
        let payer = Payer(1, parameters)
        _ = try sandbox.fund(payer.address, amount: 1_000_000)
        sandbox.mine(1, at: 0)
        let coin = sandbox.unspent(payer)
        let first = payer.send(coin, to: payer.script)
        let rival = payer.send(coin, to: payer.script, fee: 2000)
        #expect(sandbox.answer(first) == "accepted")
        #expect(sandbox.answer(rival) == "-26 txn-mempool-conflict")
        sandbox.mine(1, at: 0)
        #expect(sandbox.answer(rival) == "-25 bad-txns-inputs-missingorspent")
        #expect(sandbox.reorganise(1, at: 0) == true)
        #expect(sandbox.answer(rival) == "-26 txn-mempool-conflict")
    }

    @Test func `only blocks that were mined can be lost`() {
        var sandbox = UTXOSandbox(MemoryRows(), parameters)
        sandbox.mine(2, at: 0)
        let tip = sandbox.tip
        #expect(sandbox.reorganise(0, at: 0) == false)
        #expect(sandbox.reorganise(-1, at: 0) == false)
        #expect(sandbox.reorganise(3, at: 0) == false)
        #expect(sandbox.tip == tip)
        #expect(sandbox.reorganise(2, at: 0) == true)
        #expect(sandbox.reorganise(3, at: 0) == true)
        #expect(sandbox.tip.height == 104)
    }

    @Test func `the block in a lost one's place is another though all else is the same`() throws {
        var sandbox = UTXOSandbox(MemoryRows(), parameters)
        sandbox.mine(1, at: 0)
        var hashes = [try #require(sandbox.blockHash(at: 101))]
        for depth in 1...3 {
            #expect(sandbox.reorganise(depth, at: 0) == true)
            let hash = try #require(sandbox.blockHash(at: 101))
            #expect(!hashes.contains(hash))
            hashes.append(hash)
        }
    }

    @Test func `a block is never earlier than the one before`() {
        var sandbox = UTXOSandbox(MemoryRows(), parameters)
        sandbox.mine(1, at: 50)
        sandbox.mine(1, at: 40)
        #expect(sandbox.tip.time == 50)
    }
}
