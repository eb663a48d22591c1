import DaybookChains
import DaybookEncoding
import DaybookNodes
import Foundation
import NodeSuite
import Synchronization

@testable import Daybook

/// The embedded ICON network, in a folder of its own.
final class SandboxICONDriver: ICONDriver {
    let network = Network.sandbox
    let nid = ICONSandbox.nid
    let token: ICONAddress? = ICONSandbox.token
    let client: any ChainClient
    private let chains: SandboxChains
    private let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "node-suite-" + UUID().uuidString
        let time = Mutex<UInt64>(1_800_000_000_000_000)
        chains = SandboxChains(folder: folder) { time.withLock { $0 += 1000; return $0 } }
        client = SandboxClient(chain: .icon, chains: chains)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    func now() async throws -> UInt64 {
        try await chains.icon { _, now in now }
    }

    func height() async throws -> UInt64 {
        try await chains.icon { sandbox, _ in sandbox.tip.height }
    }

    func pay(_ holder: ICONAddress, loop: UInt256) async throws {
        try await chains.icon { sandbox, now in
            _ = try sandbox.fund(holder, loop: loop, at: now)
            sandbox.mine(at: now)
        }
    }

    func payTokens(_ holder: ICONAddress, amount: UInt256) async throws {
        try await chains.icon { sandbox, now in
            _ = try sandbox.fundTokens(holder, amount: amount, at: now)
            sandbox.mine(at: now)
        }
    }

    func advance() async throws {
        try await chains.icon { sandbox, now in _ = sandbox.mine(2, at: now) }
    }
}
