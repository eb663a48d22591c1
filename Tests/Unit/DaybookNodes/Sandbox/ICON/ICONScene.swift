import DaybookChains
import DaybookCrypto
import DaybookEncoding
import DaybookNodes
import Testing

/// A sandbox in memory and two people with public keys 1 and 2, for short tests.
struct ICONScene {
    var sandbox = ICONSandbox(MemoryRows())
    let now: UInt64 = 1_795_000_000_000_000
    let alice: ICONAddress
    let bob: ICONAddress

    init() throws {
        alice = try #require(ICONAddress("hx0502987e630ea7ebb2bf1d84a65a727109385bcf"))
        bob = try #require(ICONAddress("hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e"))
    }

    static let icx = UInt256(1_000_000_000_000_000_000)

    /// Alice with some ICX, in a block.
    mutating func fundAlice(_ icx: UInt64 = 10) throws {
        let loop = try #require(Self.icx.multiplied(by: UInt256(icx)))
        _ = try sandbox.fund(alice, loop: loop, at: now)
        #expect(sandbox.mine(at: now).count == 1)
    }

    /// Alice with a thousand tokens, as the holder in the recordings has.
    mutating func giveAliceTokens() throws {
        let amount = try #require(Self.icx.multiplied(by: UInt256(1_000)))
        _ = try sandbox.fundTokens(alice, amount: amount, at: now)
        #expect(sandbox.mine(at: now).count == 1)
    }

    func draft(to: ICONAddress? = nil, value: UInt256? = UInt256(1)) -> ICONDraft {
        ICONDraft(from: alice, to: to ?? bob, value: value, timestamp: now, nid: 3)
    }

    func call(_ method: String, _ parameters: [(String, String)], value: UInt256? = nil)
        -> ICONDraft
    {
        var draft = draft(to: ICONSandbox.token, value: value)
        let members = parameters.map { JSON.Member(name: $0.0, value: .string($0.1)) }
        draft.payload = .call(method: method, parameters: members)
        return draft
    }

    /// The params with a signature by private key `key`.
    func signed(_ draft: ICONDraft, stepLimit: UInt64 = 100_000, key: UInt8 = 1) throws -> JSON {
        let transaction = try draft.transaction(stepLimit: UInt256(stepLimit))
        let secret = Bytes(repeating: 0, count: 31) + [key]
        let signature = PrivateKey(SecretBytes(copying: secret))?
            .signRecoverable(digest: transaction.hash)
        return transaction.signed(by: ICONSignature(try #require(signature)))
    }

    mutating func send(_ draft: ICONDraft, stepLimit: UInt64 = 100_000) throws
        -> ICONSandbox.Answer
    {
        sandbox.submit(try signed(draft, stepLimit: stepLimit), at: now)
    }

    /// Sends, mines, and gives what became of it.
    mutating func run(_ draft: ICONDraft, stepLimit: UInt64 = 5_000_000) throws -> ICONReceipt {
        guard case .accepted(let hash) = try send(draft, stepLimit: stepLimit) else {
            throw Refused()
        }
        let receipts = sandbox.mine(at: now)
        return try #require(receipts.first { $0.hash == hash })
    }

    struct Refused: Error {}
}
