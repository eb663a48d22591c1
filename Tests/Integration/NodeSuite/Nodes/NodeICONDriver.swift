package import DaybookChains
import DaybookDomain
package import DaybookEncoding
package import DaybookNodes
import DaybookSystem

/// An ICON node, which is used by its calls alone.
package struct NodeICONDriver: ICONDriver {
    package let client: any ChainClient
    package let network = Network.regtest
    package let nid: UInt64
    package let token: ICONAddress?
    let calls: NodeCalls
    private let bank: Account?
    private let pause: @Sendable () async throws -> Void

    /// A driver of the node at an address, which is asked to try out a client.
    ///
    /// The bank has loop, and of the token if there is one; `pause` waits for a block to come.
    package init(
        _ target: HTTPTarget, nid: UInt64, client: any ChainClient, bank: Account?,
        token: ICONAddress?, pause: @escaping @Sendable () async throws -> Void
    ) {
        calls = NodeCalls(target)
        self.nid = nid
        self.client = client
        self.bank = bank
        self.token = token
        self.pause = pause
    }

    package func now() async throws -> UInt64 { Clock.nowMicroseconds() }

    package func height() async throws -> UInt64 {
        let block = try await calls.call("icx_getLastBlock")
        return try require(
            block["height"]?.intValue.flatMap(UInt64.init(exactly:)), "there is no height")
    }

    package func pay(_ holder: ICONAddress, loop: UInt256) async throws {
        let bank = try funded()
        let draft = ICONDraft(
            from: bank.address, to: holder, value: loop, timestamp: try await now(), nid: nid)
        try await settle(try bank.sign(draft, steps: Self.mostSteps))
    }

    package func payTokens(_ holder: ICONAddress, amount: UInt256) async throws {
        let bank = try funded()
        guard let token else { throw NotPossible("no token contract is known") }
        let transfer = IRC2.Transfer(from: bank.address, to: holder, value: amount)
        let draft = ICONDraft.tokenTransfer(
            transfer, of: token, timestamp: try await now(), nid: nid)
        try await settle(try bank.sign(draft, steps: Self.mostSteps))
    }

    package func advance() async throws {
        let start = try await height()
        // Some networks make a block only when there is something to put into it.
        if let bank { try await pay(bank.address, loop: .zero) }
        for _ in 0..<Self.mostPauses {
            if try await height() >= start + 2 { return }
            try await pause()
        }
        throw Broken(description: "no two blocks came")
    }

    private func funded() throws(NotPossible) -> Account {
        guard let bank else { throw NotPossible("no funded key is known") }
        return bank
    }

    /// Sends a transaction that must succeed, and waits until it is in a block.
    private func settle(_ transaction: SignedTransaction) async throws {
        _ = try await calls.call("icx_sendTransaction", transaction.params)
        let asked = JSON.record(["txHash": .string("0x" + Hex.encode(transaction.hash))])
        for _ in 0..<Self.mostPauses {
            try await pause()
            do {
                let result = try await calls.call("icx_getTransactionResult", asked)
                try expect("the status of a payment", result["status"], is: .string("0x1"))
                return
            } catch let refusal as CallRefused where Self.meansWaiting(refusal) {
                continue
            }
        }
        throw Broken(description: "a payment came into no block")
    }

    /// Pending and executing; T-Bears has one error for both.
    private static func meansWaiting(_ refusal: CallRefused) -> Bool {
        [-31002, -31003].contains(refusal.code) || refusal.message == "Pending transaction"
    }

    private static let mostSteps: UInt64 = 2_000_000
    private static let mostPauses = 100
}
