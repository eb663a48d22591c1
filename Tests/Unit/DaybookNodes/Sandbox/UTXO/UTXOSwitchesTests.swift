import DaybookChains
import DaybookEncoding
import DaybookNodes
import Testing

struct UTXOSwitchesTests {
    private let parameters = UTXOParameters.of(.dash, .sandbox)!

    @Test func `the next transaction is refused with the given words, the one after is not`()
        throws {
        var (sandbox, transaction) = try prepared()
        sandbox.switches.refuseNext = UTXORefusal(code: -7, message: "no")
        #expect(sandbox.answer(transaction) == "-7 no")
        #expect(sandbox.status(of: transaction.txid) == .unknown)
        #expect(sandbox.answer(transaction) == "accepted")
    }

    @Test func `a silent chain takes nothing and says nothing until it is told to speak`() throws {
        var (sandbox, transaction) = try prepared()
        sandbox.switches.isSilent = true
        #expect(sandbox.answer(transaction) == "silence")
        #expect(sandbox.answer(transaction) == "silence")
        #expect(sandbox.status(of: transaction.txid) == .unknown)
        sandbox.switches.isSilent = false
        #expect(sandbox.answer(transaction) == "accepted")
    }

    @Test func `a lost transaction does not arrive, and nothing is said after it`() throws {
        var (sandbox, transaction) = try prepared()
        sandbox.switches.losesNext = true
        #expect(!sandbox.switches.isSilent)
        #expect(sandbox.answer(transaction) == "silence")
        #expect(sandbox.switches.isSilent)
        #expect(sandbox.status(of: transaction.txid) == .unknown)
        sandbox.switches.isSilent = false
        #expect(sandbox.answer(transaction) == "accepted")
    }

    @Test func `a lost answer leaves the transaction in the mempool`() throws {
        var (sandbox, transaction) = try prepared()
        sandbox.switches.losesNextAnswer = true
        #expect(sandbox.answer(transaction) == "silence")
        #expect(sandbox.status(of: transaction.txid) == .inMempool(isLocked: true))
        #expect(sandbox.answer(transaction) == "accepted")
    }

    @Test func `a refusal is heard though the next answer were lost`() throws {
        var (sandbox, transaction) = try prepared()
        sandbox.switches.losesNextAnswer = true
        #expect(sandbox.submit([1]) != .silence)
        #expect(sandbox.answer(transaction) == "silence")
    }

    @Test func `switches are in the rows and leave none behind`() {
        var sandbox = UTXOSandbox(MemoryRows(), parameters)
        var switches = UTXOSandbox.Switches()
        switches.refuseNext = UTXORefusal(code: -26, message: "dust")
        switches.losesNext = true
        switches.losesNextAnswer = true
        switches.withholdsLocks = true
        sandbox.switches = switches
        #expect(UTXOSandbox(sandbox.rows, parameters).switches == switches)
        sandbox.switches = UTXOSandbox.Switches()
        #expect(sandbox.rows.scan(prefix: [], after: nil, limit: 1).isEmpty)
    }

    @Test func `a transaction is locked at once when its inputs are deep enough or locked`()
        throws {
        var sandbox = UTXOSandbox(MemoryRows(), parameters)
        let payer = Payer(1, parameters)
        sandbox.switches.withholdsLocks = true
        let funding = try sandbox.fund(payer.address, amount: 1_000_000)
        #expect(sandbox.status(of: funding) == .inMempool(isLocked: false))
        sandbox.switches.withholdsLocks = false

        let transaction = payer.send(sandbox.unspent(payer), to: payer.script)
        for confirmations in 0...6 {
            var copy = sandbox
            #expect(copy.answer(transaction) == "accepted")
            #expect(
                copy.status(of: transaction.txid) == .inMempool(isLocked: confirmations == 6))
            sandbox.mine(1, at: 0)
        }
        #expect(sandbox.answer(transaction) == "accepted")
        let child = payer.send(sandbox.unspent(payer), to: payer.script)
        #expect(sandbox.answer(child) == "accepted")
        #expect(sandbox.status(of: child.txid) == .inMempool(isLocked: true))
        let rival = payer.send(
            sandbox.outputs(of: [payer.script]).filter { $0.spender?.txid == child.txid },
            to: payer.script, fee: 5000)
        #expect(sandbox.answer(rival) == "-26 tx-txlock-conflict")
    }

    @Test func `two blocks are deep enough on a test network`() throws {
        var sandbox = UTXOSandbox(MemoryRows(), UTXOParameters.of(.axe, .regtest)!)
        let payer = Payer(1, sandbox.parameters)
        sandbox.mine(1, at: 0, to: Script(payer.script))
        sandbox.mine(99, at: 0)
        let parent = payer.send(sandbox.unspent(payer), to: payer.script)
        sandbox.switches.withholdsLocks = true
        #expect(sandbox.answer(parent) == "accepted")
        sandbox.switches.withholdsLocks = false
        let child = payer.send(sandbox.unspent(payer), to: payer.script)
        for confirmations in 0...2 {
            var copy = sandbox
            #expect(copy.answer(child) == "accepted")
            #expect(copy.status(of: child.txid) == .inMempool(isLocked: confirmations == 2))
            sandbox.mine(1, at: 0)
        }
    }

    private func prepared() throws -> (UTXOSandbox, UTXOTransaction) {
        var sandbox = UTXOSandbox(MemoryRows(), parameters)
        let payer = Payer(1, parameters)
        _ = try sandbox.fund(payer.address, amount: 1_000_000)
        return (sandbox, payer.send(sandbox.unspent(payer), to: payer.script))
    }
}
