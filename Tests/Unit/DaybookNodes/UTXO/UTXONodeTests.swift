import DaybookChains
import DaybookDomain
import DaybookEncoding
@testable import DaybookNodes
import Synchronization
import Testing

struct UTXONodeTests {
    private static func question(_ watched: [ChainQuery.Watched]) -> ChainQuery {
        var question = ChainQuery()
        question.watched = watched
        return question
    }

    private static func used(_ watched: ChainQuery.Watched) -> ChainQuery.Watched {
        .init(address: watched.address, script: watched.script, isUsed: true)
    }

    // MARK: - Payments

    @Test(arguments: [Chain.dash, .axe])
    func `payments in blocks and in the mempool are found`(chain: Chain) async throws {
        var core = try FakeCore(chain)
        let confirmed = core.pay([(1, 500), (7, 80)], at: 120)
        let unconfirmed = core.pay([(2, 700)])
        let answer = try await core.observe(Self.question([core.address(1), core.address(2)]))
        #expect(answer.height == 200)
        #expect(answer.tip == core.tip.hash)
        #expect(answer.since == 0)
        #expect(Set(answer.outputs.map(\.outpoint)) == [
            Outpoint(confirmed, 0), Outpoint(unconfirmed, 0),
        ])
        let first = try #require(answer.outputs.first { $0.height != nil })
        #expect(first == ChainObserved.Output(
            outpoint: Outpoint(confirmed, 0), script: core.address(1).script, amount: 500,
            height: 120, coinbase: false))
        #expect(answer.outputs.first { $0.height == nil }?.amount == 700)
    }

    @Test func `a spend of our coins is found, in a block or not`() async throws {
        var core = try FakeCore()
        let funding = core.pay([(1, 500), (1, 600)], at: 10)
        let mined = core.pay([(7, 500)], from: [Outpoint(funding, 0)], at: 20)
        let pending = core.pay([(7, 600)], from: [Outpoint(funding, 1)])
        let answer = try await core.observe(Self.question([core.address(1)]))
        #expect(answer.outputs.count == 2)
        #expect(answer.spends.contains(
            .init(
                outpoint: Outpoint(funding, 0), spender: mined.displayed, height: 20,
                script: core.address(1).script)))
        #expect(answer.spends.contains(
            .init(
                outpoint: Outpoint(funding, 1), spender: pending.displayed, height: nil,
                script: core.address(1).script)))
    }

    @Test func `a miner's payment is known by its bytes, whatever its version`() async throws {
        var core = try FakeCore()
        let script = core.address(1).script
        for (version, type, payload) in [(Int16(2), UInt16(0), Bytes()), (3, 5, [1, 2, 3])] {
            core.held.append(.init(
                UTXOTransaction(
                    version: version, type: type,
                    inputs: [.init(.null, script: [1, UInt8(version)])],
                    outputs: [.init(amount: 5, script: script)], extraPayload: payload),
                at: UInt64(version)))
        }
        let answer = try await core.observe(Self.question([core.address(1)]))
        #expect(answer.outputs.count == 2)
        #expect(answer.outputs.allSatisfy { $0.coinbase })
        #expect(answer.spends.isEmpty)
    }

    @Test func `an output to our key but of another script is not ours`() async throws {
        var core = try FakeCore()
        let ours = core.address(1)
        let key = Script.p2pk([2] + Bytes(repeating: 1, count: 32))
        core.held.append(.init(
            UTXOTransaction(
                inputs: [.init(Outpoint(TransactionID(hashing: [1]), 0))],
                outputs: [
                    .init(amount: 5, script: key.bytes), .init(amount: 6, script: ours.script),
                ]), at: 3))
        #expect(try await core.observe(Self.question([ours])).outputs.map(\.amount) == [6])
    }

    @Test func `an address that is asked for twice counts once`() async throws {
        var core = try FakeCore()
        core.pay([(1, 500)], at: 3)
        core.pay([(1, 600), (1, 700)])
        let address = core.address(1)
        let node = core
        let transport = ScriptedTransport { call, _ in node.reply(call) }
        let question = Self.question([address, address])
        let answer = try await DaybookNodesTests.observe(transport, core.parameters, question)
        #expect(answer.outputs.map(\.amount).sorted() == [500, 600, 700])
        for method in ["getaddressmempool", "getaddressdeltas"] {
            let asked = await transport.calls.first { $0.method == method }
            #expect(
                asked?.parameters.arrayValue?.first?["addresses"]
                    == .array([.string(address.address)]))
        }
    }

    @Test func `all addresses are asked for at once`() async throws {
        var core = try FakeCore()
        for number in 0..<UInt8(250) { core.pay([(number, 1000)], at: 3) }
        let node = core
        let transport = ScriptedTransport { call, _ in node.reply(call) }
        let question = Self.question((0..<UInt8(250)).map(core.address))
        let answer = try await DaybookNodesTests.observe(transport, core.parameters, question)
        #expect(answer.outputs.count == 250)
        let asked = await transport.calls.filter { $0.method == "getaddressdeltas" }
        #expect(asked.map {
            $0.parameters.arrayValue?.first?["addresses"]?.arrayValue?.count
        } == [250])
    }

    // MARK: - What came since

    @Test func `of used addresses the last hundred blocks and what came since is asked for`()
        async throws
    {
        var core = try FakeCore()
        core.pay([(1, 400)], at: 50)
        core.pay([(1, 500)], at: 51)
        core.pay([(1, 600)], at: 151)
        core.pay([(2, 700)], at: 100)
        var question = Self.question([Self.used(core.address(1)), core.address(2)])
        question.tip = .init(
            height: 150, hash: try #require(TransactionID(hex: core.hash(150))).displayed)
        let answer = try await core.observe(question)
        #expect(answer.since == 151 && answer.continuesTip)
        #expect(Set(answer.outputs.map(\.amount)) == [500, 600, 700])
        question.isWhole = true
        let whole = try await core.observe(question)
        #expect(whole.since == 0 && whole.continuesTip)
        #expect(Set(whole.outputs.map(\.amount)) == [400, 500, 600, 700])
    }

    @Test(arguments: [50, 51] as [UInt64])
    func `a followed transaction that a block list lacks is refused where the list has to have it`(
        height: UInt64
    ) async throws {
        var core = try FakeCore()
        let funding = core.pay([(1, 500)], at: 10)
        let spend = core.pay([(7, 500)], from: [Outpoint(funding, 0)], at: height)
        let node = core
        let transport = ScriptedTransport { call, _ in
            call.method == "getaddressdeltas" ? .result(.array([])) : node.reply(call)
        }
        var question = Self.question([Self.used(core.address(1))])
        question.tip = .init(
            height: 150, hash: try #require(TransactionID(hex: core.hash(150))).displayed)
        question.transactions = [spend.displayed]
        do throws(ChainFailure) {
            let answer = try await DaybookNodesTests.observe(transport, core.parameters, question)
            // The list begins with the block after it.
            #expect(height == 50 && answer.spends.map(\.height) == [50])
        } catch {
            #expect(height == 51 && error.reason == .omission, "\(error)")
        }
    }

    @Test func `after a reorganisation everything is asked for again`() async throws {
        var core = try FakeCore()
        core.pay([(1, 500)], at: 100)
        var question = Self.question([Self.used(core.address(1))])
        question.tip = core.tip
        core.fork = 1
        let answer = try await core.observe(question)
        #expect(answer.since == 0)
        #expect(answer.outputs.map(\.amount) == [500])
    }

    @Test func `a chain that has become shorter is looked at anew`() async throws {
        var core = try FakeCore()
        core.pay([(1, 500)], at: 100)
        var question = Self.question([Self.used(core.address(1))])
        question.tip = core.tip
        let tip = core.hash(200)
        core.height = 150
        #expect(try await core.observe(question).since == 0)
        // Even if the node still names the block that it says is not there.
        let shorter = core
        let transport = ScriptedTransport { call, _ in
            call.parameters == .array([.int(200)]) ? .result(.string(tip)) : shorter.reply(call)
        }
        let answer = try await DaybookNodesTests.observe(transport, core.parameters, question)
        #expect(answer.since == 0)
    }

    @Test func `a chain without any block but the first can be looked at`() async throws {
        var core = try FakeCore()
        core.height = 0
        core.isLoading = true
        let answer = try await core.observe(Self.question([core.address(1)]))
        #expect(answer.height == 0)
        #expect(answer.outputs.isEmpty)
    }

    @Test func `a block that comes in under the look makes it start anew`() async throws {
        var before = try FakeCore()
        let txid = before.pay([(1, 500)])
        var after = before
        after.height = 201
        after.held[0].height = 201
        let (old, new) = (before, after)
        // The block comes once the mempool was listed: now the same transaction is in the block.
        let transport = ScriptedTransport { call, calls in
            calls.contains { $0.method == "getaddressmempool" }
                ? new.reply(call) : old.reply(call)
        }
        var question = Self.question([before.address(1)])
        question.transactions = [txid.displayed]
        let answer = try await DaybookNodesTests.observe(transport, before.parameters, question)
        #expect(answer.height == 201)
        #expect(answer.outputs.map(\.height) == [201])
        #expect(answer.transactions == [.init(txid: txid.displayed, height: 201, locked: false)])
    }

    @Test func `a chain that never stands still is given up after five looks`() async throws {
        let core = try FakeCore()
        let transport = ScriptedTransport { call, calls in
            var core = core
            core.height += UInt64(calls.count { $0.method == "getblockchaininfo" })
            return core.reply(call)
        }
        await #expect(throws: ChainFailure(
            .unsettled, "the chain moved on under each of 5 attempts")
        ) {
            try await DaybookNodesTests.observe(
                transport, core.parameters, Self.question([core.address(1)]))
        }
    }

    @Test func `a transaction that leaves the mempool under the look is not there`() async throws {
        var core = try FakeCore()
        core.pay([(1, 500)])
        let full = core
        core.held = []
        let empty = core
        let transport = ScriptedTransport { call, _ in
            call.method == "getaddressmempool" ? full.reply(call) : empty.reply(call)
        }
        let question = Self.question([core.address(1)])
        let answer = try await DaybookNodesTests.observe(transport, core.parameters, question)
        #expect(answer.outputs.isEmpty)
    }

    // MARK: - Limits

    /// Scans with a clock that each call moves on by two minutes.
    private func slowScan(_ node: @Sendable (RPCRetryPolicy, any RPCTransport) -> any ChainClient)
        async throws -> (ChainFailure?, calls: Int)
    {
        var core = try FakeCore()
        for number in 0..<UInt8(50) { core.pay([(1, 500 + UInt64(number))], at: 100) }
        let fixed = core
        let start = ContinuousClock.now
        let minutes = Mutex(0)
        let transport = ScriptedTransport { call, _ in
            minutes.withLock { $0 += 2 }
            return fixed.reply(call)
        }
        let retries = RPCRetryPolicy(
            pauses: [], now: { start + .seconds(60) * minutes.withLock { $0 } }, sleep: { _ in })
        var failure: ChainFailure?
        do throws(ChainFailure) {
            _ = try await node(retries, transport).observe(
                Self.question([core.address(1)]), progress: nil)
        } catch {
            failure = error
        }
        return (failure, await transport.calls.count)
    }

    @Test func `a scan has ten minutes for all of its calls`() async throws {
        let parameters = try FakeCore().parameters
        let (failure, calls) = try await slowScan { UTXONode(parameters, $1, retries: $0) }
        #expect(failure == ChainFailure(
            .tooSlow, "the node was asked for more than 600 seconds"))
        #expect(calls == 6)
    }

    @Test func `transactions that are too long together are no answer`() async throws {
        var core = try FakeCore()
        for number in 0..<UInt8(20) { core.pay([(1, 500 + UInt64(number))], at: 100) }
        let (fixed, size) = (core, core.held[0].transaction.serialized().count)
        var node = UTXONode(
            core.parameters, ScriptedTransport { call, _ in fixed.reply(call) },
            retries: RPCRetryPolicy(pauses: []) { _ in })
        let question = Self.question([core.address(1)])
        node.limits.bytes = 20 * size
        #expect(try await node.observe(question, progress: nil).outputs.count == 20)
        // Those that are remembered count as well.
        node.limits.bytes -= 1
        let tooLong = ChainFailure(
            .tooLong, "the node names transactions of more than \(20 * size - 1) bytes")
        let bounded = node
        await #expect(throws: tooLong) {
            _ = try await bounded.observe(question, progress: nil)
        }
    }

    @Test func `a skipped address is not asked for, but payments to it are told`()
        async throws
    {
        var core = try FakeCore()
        core.pay([(1, 500), (2, 600)], at: 100)
        core.pay([(2, 700)], at: 100)
        var question = Self.question([Self.used(core.address(1)), core.address(2)])
        question.skipUnused(asked: question.subjects)
        let answer = try await core.observe(question)
        #expect(answer.outputs.map(\.amount).sorted() == [500, 600])
    }

    // MARK: - Transactions that are followed

    @Test(arguments: ["instantlock", "instantlock_internal", "chainlock"])
    func `a transaction is locked by any of the node's three words`(word: String) async throws {
        var core = try FakeCore()
        let txid = core.pay([(7, 500)])
        let node = core
        let transport = ScriptedTransport { call, _ in
            guard case .result(let result) = node.reply(call), call.method == "getrawtransaction"
            else { return node.reply(call) }
            return .result(result.with(word, .bool(true)))
        }
        var question = ChainQuery()
        question.transactions = [txid.displayed]
        let answer = try await DaybookNodesTests.observe(transport, core.parameters, question)
        #expect(answer.transactions == [.init(txid: txid.displayed, height: nil, locked: true)])
    }

    @Test(arguments: [.int(-1), nil] as [JSON?])
    func `a transaction that the node has not, or only in a lost block, is absent`(
        height: JSON?
    ) async throws {
        var core = try FakeCore()
        let lost = core.pay([(7, 500)], at: 150)
        let mined = core.pay([(7, 600)], at: 151)
        let node = core
        let transport = ScriptedTransport { call, _ in
            guard case .result(let result) = node.reply(call),
                call.parameters.arrayValue?.first == .string(lost.hex)
            else { return node.reply(call) }
            return .result(
                result.with("height", height).with("confirmations", .int(0)))
        }
        var question = ChainQuery()
        question.transactions = [
            lost.displayed, Bytes(repeating: 3, count: 32), [1], mined.displayed,
        ]
        let answer = try await DaybookNodesTests.observe(transport, core.parameters, question)
        #expect(answer.transactions == [.init(txid: mined.displayed, height: 151, locked: false)])
    }

    @Test func `a transaction is fetched once, in later looks too`() async throws {
        var core = try FakeCore()
        let txid = core.pay([(1, 500), (2, 600)], at: 100)
        let fixed = core
        let transport = ScriptedTransport { call, _ in fixed.reply(call) }
        let node = UTXONode(core.parameters, transport)
        let question = Self.question([core.address(1), core.address(2)])
        let first = try await node.observe(question, progress: nil)
        let second = try await node.observe(question, progress: nil)
        #expect(first == second)
        #expect(await transport.calls.count { $0.method == "getrawtransaction" } == 1)
        var asking = question
        asking.transactions = [txid.displayed]
        _ = try await node.observe(asking, progress: nil)
        #expect(await transport.calls.count { $0.method == "getrawtransaction" } == 2)
    }

    // MARK: - Progress

    @Test func `progress never goes back and ends when all is done`() async throws {
        var core = try FakeCore()
        for number in 0..<UInt8(120) { core.pay([(number, 1000)], at: 3) }
        let node = core
        let heard = Mutex<[(Int, Int)]>([])
        _ = try await DaybookNodesTests.observe(
            ScriptedTransport { call, calls in
                var node = node
                // In the middle of the first look a block comes in.
                let fetched = calls.count { $0.method == "getrawtransaction" }
                if fetched >= 50 { node.height = 201 }
                return node.reply(call)
            }, core.parameters, Self.question((0..<UInt8(120)).map(core.address))
        ) { done, all in heard.withLock { $0.append((done, all)) } }
        let steps = heard.withLock { $0 }
        #expect(steps.count >= 6)
        #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.0 <= $1.0 && $0.1 <= $1.1 })
        #expect(steps.allSatisfy { $0.0 <= $0.1 })
        #expect(steps.last?.0 == steps.last?.1)
    }

    // MARK: - The network's terms

    @Test(arguments: [
        ("0.00005224", "0.00001000", 5224), (nil, "0.00001000", 1000),
        ("0.00001000", "0.00020000", 20_000), ("0.00000001", "0", 1000),
        ("0.10000001", "0.00001000", 10_000_001), ("5e-05", "1e-5", 5000),
        ("1.00001E-5", "0", 1001), ("99999999999999999999", "0.00001000", 1000),
    ]) func `the fee rate is the highest that the node names, if there is as much`(
        estimate: String?, floor: String, expected: UInt64
    ) async throws {
        var core = try FakeCore()
        core.estimate = estimate
        core.floor = floor
        #expect(try await core.observe(ChainQuery()).feeRate == expected)
    }

    @Test(arguments: [
        (ScriptedTransport.Reply.result(
            .record(["SPORK_2_INSTANTSEND_ENABLED": .bool(true)])), true),
        (.result(.record(["SPORK_2_INSTANTSEND_ENABLED": .bool(false)])), false),
        (.result(.record([:])), false), (.error(-1, "spork <name>"), false),
        (.error(-32601, "Method not found"), false), (.http(403, ""), false),
    ]) func `InstantSend is on only if the node says so`(
        sporks: ScriptedTransport.Reply, expected: Bool
    ) async throws {
        var core = try FakeCore()
        core.sporks = sporks
        #expect(try await core.observe(ChainQuery()).instantSend == expected)
    }
}
