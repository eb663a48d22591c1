@testable import DaybookChains
import DaybookDomain
import DaybookEncoding
@testable import DaybookNodes
import Testing

/// The claims of a node that a wallet's coin is spent which count as proven.
struct SpendProofTests {
    /// A node with a coin of address 1 in block 10, and a transaction of block 20 that spends it.
    private struct Scene {
        var core: FakeCore
        let coin: Outpoint
        /// As our key would sign it.
        let spending: UTXOTransaction

        init(hashType: UInt8 = UTXOTransaction.signatureHashAll) throws {
            var core = try FakeCore()
            coin = Outpoint(core.pay([(1, 500)], at: 10), 0)
            let outputs = [core.address(7), core.address(8)].map {
                UTXOTransaction.Output(amount: 200, script: $0.script)
            }
            let other = Outpoint(TransactionID(hashing: [7]), 3)
            spending = core.signed(
                UTXOTransaction(
                    inputs: [.init(coin), .init(other, script: [0x51], sequence: 5)],
                    outputs: outputs), hashType: hashType)
            self.core = core
        }

        /// The node's answer, which names a transaction in block 20 as one of address 1.
        func spends(by transaction: UTXOTransaction) async throws -> [ChainSnapshot.Spend] {
            var node = core
            node.held.append(.init(transaction, at: 20))
            let (core, txid) = (node, transaction.txid)
            let transport = ScriptedTransport { call, _ in
                guard case .result(let truth) = core.reply(call),
                    call.method == "getaddressdeltas"
                else { return core.reply(call) }
                let lie = JSON.record(["txid": .string(txid.hex), "height": .int(20)])
                return .result(.array((truth.arrayValue ?? []) + [lie]))
            }
            var question = ChainQuery()
            question.watched = [core.address(1)]
            return try await observe(transport, core.parameters, question).spends
                .filter { $0.outpoint == coin }
        }
    }

    @Test(arguments: [1, 2, 3, 0x81, 0x82, 0x83] as [UInt8])
    func `a signature of our key proves a spend, whatever else it binds`(
        hashType: UInt8
    ) async throws {
        let scene = try Scene(hashType: hashType)
        let spends = try await scene.spends(by: scene.spending)
        #expect(spends == [
            .init(
                outpoint: scene.coin, spender: scene.spending.txid.displayed, height: 20,
                script: scene.core.address(1).script)
        ])
    }

    /// Ways to spend a coin without its key.
    private static let unproven: [(String, @Sendable (inout UTXOTransaction) -> Void)] = [
        ("no signature at all", { $0.inputs[0].script = [] }),
        ("only the key", { $0.inputs[0].script = Script.pushing([pushes($0)[1]]) }),
        ("an empty signature", { $0.inputs[0].script = Script.pushing([[], pushes($0)[1]]) }),
        ("a signature that is none", {
            $0.inputs[0].script = Script.pushing([[0x30, 1, 1], pushes($0)[1]])
        }),
        ("a signature of another transaction", { $0.outputs[1].amount += 1 }),
        ("a signature of another kind", {
            var pushes = pushes($0)
            pushes[0][pushes[0].count - 1] = 2
            $0.inputs[0].script = Script.pushing(pushes)
        }),
        ("a kind that nodes do not know", {
            var pushes = pushes($0)
            pushes[0][pushes[0].count - 1] = 4
            $0.inputs[0].script = Script.pushing(pushes)
        }),
        ("a key without a signature of it", {
            $0.inputs[0].script = Script.pushing([pushes($0)[0], Bytes(repeating: 2, count: 33)])
        }),
        ("code in the place of pushes", { $0.inputs[0].script.append(0x61) }),
    ]

    private static func pushes(_ transaction: UTXOTransaction) -> [Bytes] {
        Script.pushes(transaction.inputs[0].script) ?? []
    }

    @Test(arguments: unproven.map(\.0))
    func `a spend that our key has not signed is proven by nothing`(name: String) async throws {
        let change = try #require(Self.unproven.first { $0.0 == name }).1
        let scene = try Scene()
        var spending = scene.spending
        change(&spending)
        let spends = try await scene.spends(by: spending)
        #expect(spends.map(\.script) == [nil])
        #expect(spends.map(\.spender) == [spending.txid.displayed])
    }

    @Test func `a signature of a stranger's key proves nothing`() async throws {
        let scene = try Scene()
        var core = scene.core
        let theirs = Outpoint(core.pay([(7, 500)], at: 10), 0)
        var spending = core.signed(
            UTXOTransaction(
                inputs: [.init(theirs)], outputs: [.init(amount: 1, script: [0x51])]))
        spending.inputs[0].outpoint = scene.coin
        #expect(try await scene.spends(by: spending).map(\.script) == [nil])
    }

    @Test func `a signature by which all could be signed proves nothing`() throws {
        // SIGHASH_SINGLE without an output at the input's place signs the number one.
        let scene = try Scene(hashType: 3)
        var bare = scene.spending
        bare.outputs = []
        #expect(bare.signatureDigest(input: 0, scriptCode: [], hashType: 3) == nil)
        #expect(bare.signatureDigest(input: 0, scriptCode: [], hashType: 0x83) == nil)
        #expect(bare.provenScript(input: 0) == nil)
    }

    @Test func `a signature in a transaction longer than blocks hold proves nothing`() throws {
        let scene = try Scene()
        var core = scene.core
        var long = scene.spending
        long.outputs = [.init(amount: 1, script: Bytes(repeating: 0x6a, count: 100_000))]
        long = core.signed(long)
        #expect(long.provenScript(input: 0) == nil)
        long.outputs[0].script.removeLast(400)
        long = core.signed(long)
        core.held.append(.init(long, at: 20))
        #expect(long.provenScript(input: 0) == core.address(1).script)
    }

    @Test func `a transaction that does not spend the coin says nothing of it`() async throws {
        let scene = try Scene()
        var other = scene.spending
        other.inputs.removeFirst()
        #expect(try await scene.spends(by: other).isEmpty)
    }

    @Test func `two transactions that spend one coin are no answer`() async throws {
        var scene = try Scene()
        scene.core.held.append(.init(scene.spending, at: 19))
        var other = scene.spending
        other.lockTime = 1
        await #expect(throws: ChainFailure(
            .invalidAnswer, "the node says of one coin that two transactions spend it")
        ) { try await scene.spends(by: scene.core.signed(other)) }
    }

    @Test func `a spend whose transaction the node keeps to itself is set aside`() async throws {
        let scene = try Scene()
        var node = scene.core
        node.held.append(.init(scene.spending, at: 20))
        let (core, txid) = (node, scene.spending.txid.hex)
        let transport = ScriptedTransport { call, _ in
            call.parameters.arrayValue?.first == .string(txid)
                ? .error(-5, "No such mempool or blockchain transaction.") : core.reply(call)
        }
        var question = ChainQuery()
        question.watched = [core.address(1)]
        let answer = try await observe(transport, core.parameters, question)
        #expect(answer.setAside.map(\.txid) == [scene.spending.txid.displayed])
        #expect(!answer.spends.contains { $0.spender == scene.spending.txid.displayed })
    }
}
