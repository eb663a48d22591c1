import DaybookChains
import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// Given these events, when this input comes, then these outcomes follow.
///
/// The state is made of events alone. Links are texts of the test's own: the domain knows no
/// protocol.
struct Given {
    var state = State()
    private(set) var position: Position = 0
    var time: UInt64 = 1_000_000_000
    /// The meaning of each link's text.
    var readings: [String: LinkReading] = [:]
    /// The newest request.
    private(set) var request: RequestID = 0
    /// The requests' transactions, as the last events say.
    private(set) var prepared: [RequestID: TransactionPrepared] = [:]
    private(set) var signed: [RequestID: TransactionSigned] = [:]

    init(settings: Settings = Settings()) {
        when(
            .sessionStarted(
                SessionStarted(
                    frontEnd: "tests", engine: Engine.current, libraries: [], settings: settings)))
    }

    /// Takes an input in, and its outcomes, which it returns.
    @discardableResult
    mutating func when(_ payload: Payload, request: RequestID? = nil) -> [Outcome] {
        let known = readings
        let decider = Decider(links: [TestLink()]) { text, _ in
            let name = Text.utf8String(text) ?? ""
            return known[name]
                ?? .refused(Refusal(.unsupportedScheme), caller: nil, reference: nil)
        }
        let event = take(payload, request)
        let outcomes = decider.decide(state, event) ?? []
        for outcome in outcomes { take(outcome.payload, outcome.request) }
        return outcomes
    }

    /// Takes in an event whatever the decider would say.
    @discardableResult
    mutating func take(_ payload: Payload, _ request: RequestID?) -> Event {
        let event = Event(
            position: position, time: time, session: 0, request: request, payload: payload)
        state.evolve(event)
        switch payload {
        case .transactionPrepared(let data): if let request { prepared[request] = data }
        case .transactionSigned(let data): if let request { signed[request] = data }
        default: break
        }
        checkLedger()
        checkPrompts()
        state.rememberPrompts()
        position = position.next
        return event
    }

    /// The cached prompts are those of the state now, after every event.
    private func checkPrompts() {
        guard let cache = state.promptCache?.content else { return }
        var state = state
        state.forgetPrompts()
        for (key, known) in cache.prompts {
            let now = state.prompt(
                for: key.request, id: key.id, wallet: key.wallet, amount: key.amount,
                coins: key.coins, repeats: key.repeats)
            #expect(known == now)
            #expect(known.isIncomplete == now.isIncomplete)
        }
        for (key, known) in cache.payments {
            let now = Spending.select(key, state)
            #expect(known.map(\.selection) == now.map(\.selection))
        }
    }

    /// A link arrives.
    @discardableResult
    mutating func receive(_ text: String, key: String? = nil) -> [Outcome] {
        request = RequestID(position)
        return when(
            .requestReceived(
                RequestReceived(text: Bytes(text.utf8), frontEnd: "tests", key: key)),
            request: request)
    }

    /// The prompt that the user is shown for a request now.
    func prompt(
        _ id: RequestID? = nil, wallet: WalletID, amount: UInt64? = nil,
        coins: CoinChoice = .automatic
    ) -> Prompt {
        let id = id ?? request
        guard let row = state.request(id), let request = row.request else {
            return Prompt(PromptContent())
        }
        return state.prompt(
            for: request, id: id, wallet: wallet, amount: amount, coins: coins,
            repeats: row.repeats)
    }

    /// The user approves; everything that is not named is as it should be.
    @discardableResult
    mutating func approve(
        _ id: RequestID? = nil, wallet: WalletID, amount: UInt64? = nil,
        coins: CoinChoice = .automatic, shown: Bytes? = nil, unlocked: Bool = true
    ) -> [Outcome] {
        let digest = shown ?? prompt(id, wallet: wallet, amount: amount, coins: coins).digest
        let decision = DecisionMade(
            decision: .approve, prompt: digest, wallet: wallet, amount: amount, coins: coins,
            unlocked: unlocked)
        return when(.decisionMade(decision), request: id ?? request)
    }

    @discardableResult
    mutating func reject(_ id: RequestID? = nil) -> [Outcome] {
        when(
            .decisionMade(
                DecisionMade(
                    decision: .reject, prompt: nil, wallet: nil, amount: nil, unlocked: false)),
            request: id ?? request)
    }
}

/// A protocol with callbacks in plain words.
struct TestLink: LinkProtocol {
    let id = "test"
    let family = "test"

    func canParse(_ text: Bytes) -> Bool { true }
    func parse(_ text: Bytes, by rules: Rules) -> LinkReading {
        .refused(Refusal(.malformedLink), caller: nil, reference: nil)
    }
    func code(of refusal: Refusal) -> Int? { refusal.code == .signingFailed ? -4001 : nil }
    func callback(
        _ reply: Reply, to caller: Caller, reference: Int64?, by rules: Rules
    ) -> String? {
        "\(caller.prefix)\(reference.map { "\($0) " } ?? "")\(reply)"
    }
}

extension [Outcome] {
    /// The outcomes' types on disk.
    var types: [String] { map { type(of: $0.payload.data).type } }

    /// The reason of the only refusal of a decision.
    var refusedDecision: Refusal.Code? {
        guard count == 1, case .decisionRefused(let data) = self[0].payload else { return nil }
        return data.refusal.code
    }
}
