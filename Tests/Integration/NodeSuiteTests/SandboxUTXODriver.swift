import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import Foundation
import NodeSuite

@testable import Daybook

/// The embedded Dash or Axe chain, in a folder of its own.
final class SandboxUTXODriver: UTXODriver {
    let parameters: UTXOParameters
    let isStandardOnly = true
    let locks: Bool?
    let client: any ChainClient
    private let chains: SandboxChains
    private let folder: String

    init(_ chain: DaybookChains.Chain, locks: Bool = true) async throws {
        parameters = UTXOParameters.of(chain, .sandbox)!
        self.locks = locks
        folder = NSTemporaryDirectory() + "node-suite-" + UUID().uuidString
        chains = SandboxChains(folder: folder) { Self.time }
        client = SandboxClient(chain: chain, chains: chains)
        try await chains.utxo(chain) { sandbox, _ in sandbox.switches.withholdsLocks = !locks }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func tip() async throws -> ChainQuery.Tip {
        try await run { sandbox in
            let tip = sandbox.tip
            return .init(height: UInt64(tip.height), hash: Bytes(tip.hash.bytes.reversed()))
        }
    }

    func pay(_ outputs: [UTXOTransaction.Output]) async throws -> TransactionID {
        let payer = try NewPayer(parameters)
        let amount = outputs.reduce(100_000) { $0 + $1.amount }
        let coin = try await run { sandbox in
            let txid = try sandbox.fund(payer.address, amount: amount)
            let coin = sandbox.outputs(of: [payer.script]).first { $0.outpoint.txid == txid }
            return NewPayer.Funds(outpoint: coin!.outpoint, amount: amount)
        }
        let transaction = try payer.spend([coin], on: outputs)
        try await send(transaction.serialized())
        return transaction.txid
    }

    func send(_ bytes: Bytes) async throws {
        try await run { sandbox in
            if case .refused(let refusal) = sandbox.submit(bytes) { throw refusal }
        }
    }

    func mine(_ count: Int, to address: UTXOAddress?) async throws {
        let script = address.map { Script($0.scriptPubKey) }
        try await run { $0.mine(count, at: Self.time, to: script) }
    }

    func takeBack(_ count: Int) async throws {
        try await run { _ = $0.reorganise(count, at: Self.time) }
    }

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (inout UTXOSandbox) throws -> Value
    ) async throws -> Value {
        try await chains.utxo(parameters.chain) { sandbox, _ in try body(&sandbox) }
    }

    private static let time: UInt64 = 1_800_000_000_000_000
}
