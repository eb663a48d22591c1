import DaybookChains
import DaybookEncoding
import NodeServer
import Testing

@testable import Daybook

/// A store with a wallet that has coins, and two nodes that know the same of them.
struct TwoNodes {
    let first: NodeServer
    let second: NodeServer
    let temporary: TemporaryStore
    let store: Store
    let wallet: Wallet

    /// Both nodes are set, the first one before the second.
    init(_ chain: ChainName) async throws {
        first = try NodeServer(Chain(chain))
        second = try NodeServer(Chain(chain))
        temporary = try TemporaryStore()
        let now = temporary.now.withLock { $0 }
        for server in [first, second] { server.settings.time = now }
        store = try temporary.open(pause: { _ in })
        wallet = try await store.addTestWallet(chain, network: .regtest)
        first.mine(3)
        if chain == .icon {
            try first.fund(wallet.address, loop: UInt256(9_000_000_000_000_000_000))
            try first.fundTokens(wallet.address, UInt256(5000))
        } else {
            try first.fund(wallet.address, 300_000_000)
            first.mine(6)
        }
        second.restore(first.snapshot())
        try await store.setNodes(chain, .regtest, urls: [first.url, second.url])
    }

    /// Makes the chain of both nodes that of one.
    func bothLearn(from server: NodeServer) {
        let rows = server.snapshot()
        for other in [first, second] where other !== server { other.restore(rows) }
    }

    /// A payment of some coins; on ICON of one loop.
    func payment(_ amount: String = "0.5") -> String {
        wallet.chain == .icon
            ? connect(
                #"{"id":2,"method":"sendICX","params":{"from":"\#(Flow.key1)","#
                    + #""to":"\#(Flow.key2)","value":"0x1"}}"#)
            : "dashwallet://pay=yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf&amount=\(amount)&sender=myapp"
    }

    /// Approving is refused by this code, in words that have these in them; nothing was signed.
    func expectRefusal(
        of request: WalletRequest, _ code: String, _ words: [String],
        at place: SourceLocation = #_sourceLocation
    ) async throws {
        let error = await #expect(throws: DaybookError.self, sourceLocation: place) {
            try await store.approve(request.id)
        }
        #expect(
            error?.code.rawValue == code && error?.kind == .node, "\(error as Any)",
            sourceLocation: place)
        for word in words {
            #expect(
                error?.message.contains(word) == true, "\(error as Any)", sourceLocation: place)
        }
        let types = try await store.allRecords().map(\.type)
        #expect(!types.contains("signature.made"), sourceLocation: place)
        #expect(!types.contains("transaction.signed"), sourceLocation: place)
        #expect(try await store.request(request.id).status == .pending, sourceLocation: place)
        for server in [first, second] {
            let sends = server.requests.filter {
                ["sendrawtransaction", "icx_sendTransaction"].contains($0.method)
            }
            #expect(sends.isEmpty, sourceLocation: place)
        }
        try await store.expectCleanReplay(place)
    }
}
