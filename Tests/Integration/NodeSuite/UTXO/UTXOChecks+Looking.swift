import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookSystem

extension UTXOChecks {
    static func looking<Driver: UTXODriver>() -> [Check<Driver>] {
        [
            Check("the tip is the chain's, and moves with it") { driver in
                for _ in 0..<2 {
                    let answer = try await driver.look([])
                    let tip = try await driver.tip()
                    try expect("the height", answer.height, is: tip.height)
                    try expect("the tip", answer.tip, is: tip.hash)
                    try await driver.mine()
                }
            },
            Check("a real chain is named by its first block") { driver in
                let answer = try await driver.look([])
                guard driver.parameters.network != .sandbox else {
                    throw NotPossible("the sandbox is no real chain")
                }
                let identity = try require(answer.identity, "there is no identity")
                try expect(identity.hasPrefix("genesis "), "the identity is \(identity)")
            },
            Check("a chain of the same name and another block 1 is told, when a node is checked") {
                driver in
                try await driver.mine()
                try await expectIdentity(of: driver.client, ChainQuery())
            },
            Check("the fee rate is one that a wallet can pay") { driver in
                let rate = try require(try await driver.look([]).feeRate, "there is no fee rate")
                let sane = UTXOFees.leastRate
                    ... UTXOFees.highestRate
                try expect(sane.contains(rate), "the fee rate is \(rate) duffs for 1000 bytes")
            },
            Check("an address that nobody paid has nothing") { driver in
                let payer = try NewPayer(driver.parameters)
                let answer = try await driver.look([payer.address])
                try expect("what it has", answer.standing, is: [])
                try expect("what it spent", answer.spends, is: [])
            },
            Check("a transaction that nobody made is absent") { driver in
                let txid = TransactionID(hashing: try Entropy.bytes(32))
                let answer = try await driver.look([], [txid])
                try expect("what is said of it", answer.transactions, is: [])
            },
        ]
    }

    static func telling<Driver: UTXODriver>() -> [Check<Driver>] {
        [
            Check("of many addresses each has its own") { driver in
                let paid = try (0..<3).map { _ in try NewPayer(driver.parameters) }
                let others = try (0..<700).map { _ in try stranger(driver.parameters) }
                _ = try await driver.pay(paid.map { .init(amount: 100_000, script: $0.script) })
                try await driver.mine()
                let all = [paid[0].address] + others + [paid[1].address] + others.prefix(50)
                    + [paid[2].address]
                let answer = try await driver.look(all)
                let scripts = Set(paid.map(\.script))
                try expect("the paid scripts", Set(answer.free.map(\.script)), is: scripts)
                try expect("the number of outputs", answer.free.count, is: 3)
            },
            Check("an output to the bare public key is not the address's") { driver in
                let payer = try NewPayer(driver.parameters)
                let bare = Script.p2pk(payer.publicKey.compressed).bytes
                _ = try await driver.pay([
                    .init(amount: 200_000, script: bare),
                    .init(amount: 100_000, script: payer.script),
                ])
                for _ in 0..<2 {
                    let free = try await driver.look([payer.address]).free
                    try expect("what it has", free.map(\.amount), is: [100_000])
                    try await driver.mine()
                }
            },
        ]
    }

    /// An address of which nobody has the key.
    private static func stranger(_ parameters: UTXOParameters) throws -> UTXOAddress {
        let hash = try Entropy.bytes(20)
        return try require(UTXOAddress(Script.p2pkh(hash), parameters), "no address was made")
    }
}
