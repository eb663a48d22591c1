import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookNodes
import Testing

/// The rules that the recorded sessions do not reach; those that they do are tested there.
struct UTXORulesTests {
    /// A payer with two confirmed, spendable outputs.
    struct Scene {
        var sandbox: UTXOSandbox
        let payer: Payer
        let coins: [UTXOOutput]

        init(_ chain: Chain) throws {
            sandbox = UTXOSandbox(MemoryRows(), UTXOParameters.of(chain, .sandbox)!)
            payer = Payer(1, sandbox.parameters)
            for amount in [1_000_000, 2_000_000] as [UInt64] {
                _ = try sandbox.fund(payer.address, amount: amount)
            }
            sandbox.mine(1, at: 1_800_000_000_000_000)
            coins = sandbox.unspent(payer).sorted { $0.amount < $1.amount }
        }

        /// The first coin sent to its owner, with something changed before it is signed.
        func changed(_ change: (inout UTXOTransaction) -> Void) -> UTXOTransaction {
            let output = UTXOTransaction.Output(amount: 999_000, script: payer.script)
            return payer.pay([output], from: [coins[0]], change: change)
        }
    }

    /// Changes to a good transaction, and what Dash and Axe say to it.
    static let cases: [(String, @Sendable (inout UTXOTransaction) -> Void, String, Int)] = [
        ("an output above 21 million", { $0.outputs[0].amount = Duffs.maximum + 1 },
            "bad-txns-vout-toolarge", 16),
        ("outputs above 21 million together",
            { $0.outputs = Array(repeating: output(Duffs.maximum), count: 2) },
            "bad-txns-txouttotal-toolarge", 16),
        ("a special transaction", { $0.version = 3; $0.type = 1; $0.extraPayload = [1] },
            "bad-txns-type", 16),
        ("a version of none", { $0.version = 0 }, "version", 64),
        ("a negative version", { $0.version = -1 }, "version", 64),
        ("dust to a script", { $0.outputs[0] = output(539, .p2sh(hash)) }, "dust", 64),
        ("no dust to a script", { $0.outputs.append(output(540, .p2sh(hash))) }, "", 0),
        ("data of 80 bytes for nothing",
            { $0.outputs.append(output(0, .data([0x6a, 0x4c, 80] + Bytes(repeating: 1, count: 80))))
            }, "", 0),
        ("a lock time of tomorrow",
            { $0.lockTime = 1_800_000_000; $0.inputs[0].sequence = 0xffff_fffe }, "non-final", 64),
        ("a lock time that has passed",
            { $0.lockTime = 1_799_999_999; $0.inputs[0].sequence = 0xffff_fffe }, "", 0),
        ("the height of the next block",
            { $0.lockTime = 102; $0.inputs[0].sequence = 0xffff_fffe }, "non-final", 64),
        ("the height of the last block",
            { $0.lockTime = 101; $0.inputs[0].sequence = 0xffff_fffe }, "", 0),
        ("a lock time that no input heeds", { $0.lockTime = 1_900_000_000 }, "", 0),
    ]

    @Test(arguments: cases.indices, [Chain.dash, .axe])
    func `a changed transaction is refused by its rule's name`(index: Int, chain: Chain) throws {
        let (what, change, name, number) = Self.cases[index]
        var scene = try Scene(chain)
        let answer = scene.sandbox.answer(scene.changed(change))
        let refusal = chain == .axe ? "-26 \(number): \(name)" : "-26 \(name)"
        #expect(answer == (name.isEmpty ? "accepted" : refusal), "\(what)")
    }

    @Test func `no inputs, a coinbase and an empty reference are refused`() throws {
        var scene = try Scene(.dash)
        var transaction = scene.changed { _ in }
        transaction.inputs = []
        #expect(scene.sandbox.answer(transaction) == "-26 bad-txns-vin-empty")
        transaction.inputs = [UTXOTransaction.Input(.null, script: [1, 1])]
        #expect(scene.sandbox.answer(transaction) == "-26 coinbase")
        transaction = scene.payer.send(scene.coins, to: scene.payer.script)
        transaction.inputs[1].outpoint = .null
        #expect(scene.sandbox.answer(transaction) == "-26 bad-txns-prevout-null")
    }

    @Test func `an input's script only pushes and has at most 1650 bytes`() throws {
        var scene = try Scene(.axe)
        var transaction = scene.changed { _ in }
        transaction.inputs[0].script = [0xac]
        #expect(scene.sandbox.answer(transaction) == "-26 64: scriptsig-not-pushonly")
        transaction.inputs[0].script = Script.pushing([Bytes(repeating: 1, count: 1648)])
        #expect(scene.sandbox.answer(transaction) == "-26 64: scriptsig-size")
    }

    @Test func `a transaction of less than 83 bytes is refused by Dash alone`() throws {
        let refusals: [(Chain, String)] = [
            (.dash, "-26 tx-size-small"), (.axe, "-25 Missing inputs"),
        ]
        for (chain, refusal) in refusals {
            var scene = try Scene(chain)
            let transaction = UTXOTransaction(
                inputs: [UTXOTransaction.Input(Outpoint(.zero, 0))],
                outputs: [Self.output(0, .data([0x6a]))])
            #expect(transaction.serialized().count < 83)
            #expect(scene.sandbox.answer(transaction) == refusal)
        }
    }

    @Test func `an output to a script can be made but not spent`() throws {
        var scene = try Scene(.dash)
        let paying = scene.changed { $0.outputs[0] = Self.output(999_000, .p2sh(Self.hash)) }
        #expect(scene.sandbox.answer(paying) == "accepted")
        let held = scene.sandbox.outputs(of: [Script.p2sh(Self.hash).bytes])
        let spending = scene.payer.send(held, to: scene.payer.script)
        #expect(scene.sandbox.answer(spending) == "-26 bad-txns-nonstandard-inputs")
    }

    @Test func `an output of data is there to no input`() throws {
        var scene = try Scene(.dash)
        let data = Script.data([0x6a, 1, 7])
        let paying = scene.changed { $0.outputs.append(Self.output(0, data)) }
        #expect(scene.sandbox.answer(paying) == "accepted")
        let held = scene.sandbox.outputs(of: [data.bytes])
        #expect(held.count == 1)
        let spending = scene.payer.send(held + [scene.coins[1]], to: scene.payer.script)
        #expect(scene.sandbox.answer(spending) == "-25 bad-txns-inputs-missingorspent")
    }

    @Test func `an output that a transaction does not have is missing`() throws {
        var scene = try Scene(.dash)
        var transaction = scene.changed { _ in }
        transaction.inputs[0].outpoint = Outpoint(scene.coins[0].outpoint.txid, 7)
        #expect(scene.sandbox.answer(transaction) == "-25 bad-txns-inputs-missingorspent")
    }

    @Test(arguments: [Chain.dash, .axe])
    func `unconfirmed transactions that depend on each other have 101 000 bytes at most`(
        chain: Chain
    ) throws {
        var scene = try Scene(chain)
        let script = scene.payer.script
        func outputs(_ count: Int) -> [UTXOTransaction.Output] {
            Array(repeating: .init(amount: 560, script: script), count: count)
        }
        let parent = scene.payer.pay(
            [.init(amount: 1_050_000, script: script)] + outputs(1400), from: [scene.coins[1]])
        #expect(scene.sandbox.answer(parent) == "accepted")
        let coin = try #require(scene.sandbox.unspent(scene.payer).first { $0.amount == 1_050_000 })
        // An input and the counts have 166 bytes at most, an output 34.
        let left = Int(RelayPolicy.packageLimit) - parent.serialized().count
        let most = scene.payer.pay(outputs((left - 100) / 34), from: [coin])
        let refusal = chain == .axe
            ? "-26 64: too-long-mempool-chain"
            : "-26 too-long-mempool-chain, exceeds descendant size limit for tx"
                + " \(parent.txid.hex) [limit: 101000]"
        #expect(scene.sandbox.answer(most) == refusal)
        let less = scene.payer.pay(outputs((left - 170) / 34), from: [coin])
        #expect(scene.sandbox.answer(less) == "accepted")
    }

    @Test func `a transaction may have 25 descendants, itself among them`() throws {
        var scene = try Scene(.dash)
        let parts = scene.payer.send([scene.coins[0]], to: scene.payer.script, parts: 25, fee: 2000)
        #expect(scene.sandbox.answer(parts) == "accepted")
        let held = scene.sandbox.unspent(scene.payer).filter { $0.outpoint.txid == parts.txid }
        try #require(held.count == 25)
        for coin in held.prefix(24) {
            let child = scene.payer.send([coin], to: scene.payer.script, fee: 200)
            #expect(scene.sandbox.answer(child) == "accepted")
        }
        let child = scene.payer.send([held[24]], to: scene.payer.script, fee: 200)
        #expect(
            scene.sandbox.answer(child)
                == "-26 too-long-mempool-chain, too many descendants for tx "
                + "\(parts.txid.hex) [limit: 25]")
        scene.sandbox.mine(1, at: 0)
        #expect(scene.sandbox.answer(child) == "accepted")
    }

    @Test func `the fee is bounded by rate on Dash and as a whole on Axe`() throws {
        for chain in [Chain.dash, .axe] {
            var scene = try Scene(chain)
            _ = try scene.sandbox.fund(scene.payer.address, amount: 50_000_000)
            let coin = try #require(scene.sandbox.unspent(scene.payer).last)
            for fee in [1_900_000, 2_000_000, 10_000_000, 10_000_001] as [UInt64] {
                let paying = scene.payer.send([coin], to: scene.payer.script, fee: fee)
                var copy = scene.sandbox
                let isBelow = fee <= (chain == .dash ? 1_900_000 : 10_000_000)
                let refusal = chain == .dash
                    ? "-25 Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)"
                    : "-26 256: absurdly-high-fee"
                #expect(copy.answer(paying) == (isBelow ? "accepted" : refusal))
            }
        }
    }

    private static let hash = Bytes(repeating: 3, count: 20)

    private static func output(
        _ amount: UInt64, _ script: Script = .p2pkh(hash)
    ) -> UTXOTransaction.Output {
        UTXOTransaction.Output(amount: amount, script: script.bytes)
    }
}
