package import DaybookChains
package import DaybookDomain
package import DaybookEncoding
package import DaybookNodes
import DaybookSystem

/// A Dash or Axe node on regtest, which is used by its calls alone: it needs no wallet.
package actor NodeUTXODriver: UTXODriver {
    package nonisolated let client: any ChainClient
    package nonisolated let parameters: UTXOParameters
    package nonisolated let isStandardOnly: Bool
    package nonisolated let locks: Bool?
    private let calls: NodeCalls
    private let bank: NewPayer
    /// The bank's coins in blocks deep enough, and of its own change.
    private var coins: [NewPayer.Funds] = []
    private var takenBack: [JSON] = []

    /// A driver of the node at an address, which is asked to try out a client.
    package init(
        _ target: HTTPTarget, _ parameters: UTXOParameters, client: any ChainClient,
        locks: Bool? = nil
    ) throws {
        self.client = client
        self.parameters = parameters
        self.locks = locks
        // Axe's regtest accepts nonstandard transactions, Dash's does not.
        isStandardOnly = parameters.chain == .dash
        calls = NodeCalls(target)
        bank = try NewPayer(parameters)
    }

    /// Throws unless the node is on regtest, where coins are worth nothing and blocks cost nothing.
    package func requireRegtest() async throws {
        let info = try await calls.call("getblockchaininfo", [])
        let name = try require(info["chain"]?.stringValue, "it does not say what chain it is on")
        try expect(name == "regtest", "it is on \(name), not on regtest")
        do throws(ChainFailure) {
            _ = try await client.observe(ChainQuery(), progress: nil)
        } catch {
            try expect(
                error.reason != .wrongChain,
                "it is not a node of \(parameters.chain.rawValue): \(error.message)")
        }
    }

    package func tip() async throws -> ChainQuery.Tip {
        let info = try await calls.call("getblockchaininfo", [])
        let height = try require(
            info["blocks"]?.intValue.flatMap(UInt64.init(exactly:)), "there is no height")
        let hash = try require(
            info["bestblockhash"]?.stringValue.flatMap { Hex.decode($0) }, "there is no tip")
        return .init(height: height, hash: hash)
    }

    package func send(_ bytes: Bytes) async throws {
        _ = try await calls.call("sendrawtransaction", [.string(Hex.encode(bytes))])
    }

    /// A transaction of the chain or the mempool.
    func transaction(_ txid: TransactionID) async throws -> UTXOTransaction {
        let answer = try await calls.call("getrawtransaction", [.string(txid.hex)])
        let bytes = try require(
            answer.stringValue.flatMap { Hex.decode($0) }, "there is no transaction")
        return try UTXOTransaction.parse(bytes)
    }

    package func mine(_ count: Int, to address: UTXOAddress?) async throws {
        // To one address a block could come out as one that was taken back, and be refused.
        let miner = try address ?? NewPayer(parameters).address
        let hashes = try await calls.call(
            "generatetoaddress", [.int(count), .string(miner.text)])
        try expect("the number of blocks", hashes.arrayValue?.count, is: count)
    }

    package func takeBack(_ count: Int) async throws {
        let first = try await tip().height + 1 - UInt64(count)
        let hash = try await calls.call("getblockhash", [.int(first)])
        takenBack.append(hash)
        _ = try await calls.call("invalidateblock", [hash])
    }

    /// Leaves the node's chain as it would be if no block had been taken back.
    package func restore() async throws {
        for hash in takenBack { _ = try await calls.call("reconsiderblock", [hash]) }
        takenBack = []
    }

    // MARK: - Paying

    package func pay(_ outputs: [UTXOTransaction.Output]) async throws -> TransactionID {
        let amount = outputs.reduce(0) { $0 + $1.amount }
        var spent: [NewPayer.Funds] = []
        var sum: UInt64 = 0
        while sum < amount + Self.greatestFee {
            // The chain may be so high that a block pays little.
            if coins.isEmpty { try await stock() }
            let coin = coins.removeFirst()
            spent.append(coin)
            sum += coin.amount
        }
        // Ten duffs for a byte, as inputs of 150 and outputs of 34 bytes make them.
        let fee = UInt64(10 * (10 + 150 * spent.count + 34 * (outputs.count + 1)))
        let change = UTXOTransaction.Output(amount: sum - amount - fee, script: bank.script)
        let transaction = try bank.spend(spent, on: outputs + [change])
        try await send(transaction.serialized())
        coins.append(
            NewPayer.Funds(
                outpoint: Outpoint(transaction.txid, UInt32(outputs.count)),
                amount: change.amount))
        return transaction.txid
    }

    /// Mines coins for the bank, and so many blocks on them that they can be spent.
    private func stock() async throws {
        let known = Set(try await mined().map(\.outpoint))
        try await mine(Self.stockedBlocks, to: bank.address)
        try await mine(RelayPolicy.coinbaseMaturity)
        coins += try await mined().filter { !known.contains($0.outpoint) }
    }

    /// The coins that blocks paid to the bank.
    private func mined() async throws -> [NewPayer.Funds] {
        let addresses = JSON.record(["addresses": .array([.string(bank.address.text)])])
        let rows = try await calls.call("getaddressutxos", [addresses])
        return try require(rows.arrayValue, "there are no outputs").map { row in
            let txid = try require(
                row["txid"]?.stringValue.flatMap { Hex.decode($0) }.flatMap {
                    TransactionID(Bytes($0.reversed()))
                }, "an output has no transaction")
            let index = try require(
                row["outputIndex"]?.intValue.flatMap(UInt32.init(exactly:)),
                "an output has no index")
            let amount = try require(
                row["satoshis"]?.intValue.flatMap(UInt64.init(exactly:)),
                "an output has no amount")
            return NewPayer.Funds(outpoint: Outpoint(txid, index), amount: amount)
        }
    }

    private static let stockedBlocks = 15
    private static let greatestFee: UInt64 = 100_000
}
