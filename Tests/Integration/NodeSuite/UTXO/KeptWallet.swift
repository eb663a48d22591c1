import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookNodes

/// A wallet's rows, kept as a store keeps them: by asking for what is new and taking it over.
struct KeptWallet {
    private var state = State()
    private let payer: NewPayer
    private let parameters: UTXOParameters
    private var events: UInt64 = 0

    init(_ payer: NewPayer, _ parameters: UTXOParameters) {
        self.payer = payer
        self.parameters = parameters
        take(
            .walletAdded(
                WalletAdded(
                    chain: parameters.chain, network: parameters.network, networkID: nil,
                    label: nil,
                    keys: .single(publicKey: payer.publicKey.compressed))))
    }

    /// Takes over what is new, compares with all that there is, and with these amounts.
    mutating func follow(_ driver: some UTXODriver, free: [UInt64]) async throws {
        let question = ChainQuery(parameters.chain, parameters.network, in: state)
        let answer = try await driver.client.observe(question, progress: nil)
        for news in answer.changes(from: state, forRequest: false) {
            take(.chainObserved(news))
        }
        let all = try await driver.look([payer.address])
        var whole = question
        whole.tip = nil
        let missed = all.changes(from: state, forRequest: false)
        try expect("what was changed unnoticed", missed.flatMap(\.outputs), is: [])
        try expect("what went unnoticed", missed.flatMap(\.removed), is: [])
        try expect("what is free", all.free.map(\.amount).sorted(), is: free)
        if let damage = state.damage { throw damage }
    }

    private mutating func take(_ payload: Payload) {
        state.evolve(
            Event(
                position: Position(events), time: events, session: 0, request: nil,
                payload: payload))
        events += 1
    }
}
