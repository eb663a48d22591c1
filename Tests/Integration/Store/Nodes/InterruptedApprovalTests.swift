import DaybookEncoding
import NodeServer
import Synchronization
import Testing

@testable import Daybook

/// An approval whose task is cancelled while a node is asked.
struct InterruptedApprovalTests {
    /// A task that is cancelled, also by who comes before it has begun.
    private final class Interruption: Sendable {
        private let state = Mutex(State())

        private struct State {
            var task: Task<WalletRequest, any Error>?
            var isDue = false
        }

        var isDue: Bool { state.withLock { $0.isDue } }

        func cancel() {
            state.withLock { state in
                state.isDue = true
                state.task?.cancel()
            }
        }

        func interrupt(_ task: Task<WalletRequest, any Error>) {
            state.withLock { state in
                state.task = task
                if state.isDue { task.cancel() }
            }
        }
    }

    /// Approves a payment, and is interrupted when a node gets its n-th call; false if it gets
    /// fewer.
    private func interrupt(
        _ server: NodeServer, at call: Int, amount: Int, in scene: TwoNodes
    ) async throws -> Bool {
        let store = scene.store
        let request = try await store.receive(scene.payment("0.01\(100 + amount)"))
        let shown = try #require(request.prompt)
        let before = scene.first.utxo { $0.mempool.count }
        let interruption = Interruption()
        server.misbehave(
            .altered { truth in
                interruption.cancel()
                return truth
            }, from: call, times: 1)
        let approving = Task {
            try await store.approve(
                request.id, shown: shown, unlockedBy: Passphrase("correct horse"))
        }
        interruption.interrupt(approving)
        _ = await approving.result
        for server in [scene.first, scene.second] { server.behave() }
        let standing = try await store.request(request.id).status
        let types = try await store.allRecords().filter { $0.requestID == request.id }.map(\.type)
        let isSigned = types.contains("signature.made")
        #expect(isSigned == types.contains("transaction.signed"), "call \(call)")
        #expect(isSigned == types.contains("transaction.prepared"), "call \(call)")
        if isSigned {
            #expect([.signed, .sent, .completed].contains(standing), "call \(call): \(standing)")
            _ = try await store.sync()
        } else {
            #expect(standing == .pending, "call \(call): \(standing)")
            #expect(scene.first.utxo { $0.mempool.count } == before)
            _ = try await store.approve(request.id)
        }
        #expect(try await store.request(request.id).status == .completed, "call \(call)")
        #expect(scene.first.utxo { $0.mempool.count } == before + 1, "call \(call)")
        // Nodes take 25 payments that depend on each other before a block comes.
        if call.isMultiple(of: 8) {
            scene.first.mine()
            scene.bothLearn(from: scene.first)
            _ = try await store.sync()
        }
        return interruption.isDue
    }

    @Test func `whenever it is interrupted, nothing is signed or the payment is in flight`()
        async throws
    {
        let scene = try await TwoNodes(.dash)
        _ = try await scene.store.sync()
        var calls = [0, 0]
        for (index, server) in [scene.first, scene.second].enumerated() {
            while try await interrupt(
                server, at: calls[index] + 1, amount: 100 * index + calls[index], in: scene)
            {
                calls[index] += 1
                try #require(calls[index] < 60)
            }
        }
        // Both nodes are asked several times.
        #expect(calls[0] >= 10 && calls[1] >= 5, "\(calls)")
        scene.first.mine()
        _ = try await scene.store.sync()
        #expect(try await scene.store.balances().allSatisfy { $0.reserved == "0" })
        try await scene.store.expectCleanReplay()
    }
}
