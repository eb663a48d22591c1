import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import Testing

@testable import DaybookLinks

/// A protocol as `docs/recipes/adding-a-link-protocol.md` has it made, with nothing else changed.
///
/// `coffee://address?sender=shop` asks for an address of a Dash wallet.
private struct CoffeeLink: LinkProtocol {
    let id = "coffee"
    let family = "coffee"

    func canParse(_ text: Bytes) -> Bool { LinkText.hasScheme(id, text) }

    func parse(_ text: Bytes, by rules: Rules) -> LinkReading {
        do {
            return .request(try request(text))
        } catch {
            return .refused(error, caller: nil, reference: nil)
        }
    }

    private func request(_ text: Bytes) throws(Refusal) -> Request {
        guard let pairs = LinkText.removing("//address?", from: LinkText.afterScheme(text)) else {
            throw Refusal(.unknownMethod)
        }
        let parameters = try LinkParameters(pairs, .bip21)
        try parameters.refuseRequired(except: [.sender])
        guard let sender = parameters[.sender] else {
            throw Refusal(.missingCaller, parameter: "sender")
        }
        guard let caller = Caller(sender: sender) else {
            throw Refusal(.invalidCaller, parameter: "sender")
        }
        return Request(link: id, chain: .dash, action: .address(account: 0), caller: caller)
    }

    func code(of refusal: Refusal) -> Int? { refusal.code == .rejectedByUser ? 7 : nil }

    func callback(
        _ reply: Reply, to caller: Caller, reference: Int64?, by rules: Rules
    ) -> String? {
        switch reply {
        case .address(let address): "\(caller.prefix)coffee=\(address)"
        case .refused(let refusal): "\(caller.prefix)coffee=\(code(of: refusal) ?? 0)"
        default: nil
        }
    }
}

/// The recipe for a link protocol, followed.
struct RecipeTests {
    private static let protocols = Links.all + [CoffeeLink()]
    private let decider = Links.decider(of: protocols)
    private var state = State()
    private var position: Position = 0

    /// A state with one Dash wallet, whose private key is 1.
    init() {
        let secret = SecretBytes(count: 32) { $0[31] = 1 }
        let key = PrivateKey(secret)!.publicKey
        _ = take(
            .walletAdded(
                WalletAdded(
                    chain: .dash, network: .sandbox, networkID: nil, label: nil,
                    keys: .single(publicKey: key.compressed))))
    }

    /// Takes an input in, and what follows from it, which it returns.
    private mutating func take(_ payload: Payload, _ request: RequestID? = nil) -> [Payload] {
        func event(_ payload: Payload, _ request: RequestID?) -> Event {
            Event(position: position, time: 1, session: 0, request: request, payload: payload)
        }
        let input = event(payload, request)
        state.evolve(input)
        position = position.next
        let outcomes = decider.decide(state, input) ?? []
        for outcome in outcomes {
            state.evolve(event(outcome.payload, outcome.request))
            position = position.next
        }
        return outcomes.map(\.payload)
    }

    /// A link arrives; returns the request and what follows.
    private mutating func receive(_ text: String) -> (RequestID, [Payload]) {
        let id = RequestID(position)
        let received = RequestReceived(text: Bytes(text.utf8), frontEnd: "tests", key: nil)
        return (id, take(.requestReceived(received), id))
    }

    /// The callback among the outcomes of a decision.
    private mutating func decide(_ decision: DecisionMade, _ request: RequestID) -> String? {
        for case .callbackEmitted(let data) in take(.decisionMade(decision), request) {
            return data.url
        }
        return nil
    }

    @Test mutating func `a new protocol's request is accepted, approved and answered`() throws {
        let (id, outcomes) = receive("coffee://address?sender=shop")
        guard case .requestAccepted(let accepted) = outcomes.first else {
            Issue.record("\(outcomes)")
            return
        }
        let address = try #require(state.wallets(of: .dash).first?.row.address)
        let wallet = try #require(state.wallets(of: .dash).first?.id)
        let approval = DecisionMade(
            decision: .approve, prompt: accepted.digest, wallet: wallet, amount: nil,
            unlocked: true)
        #expect(decide(approval, id) == "shop://coffee=\(address)")
    }

    @Test mutating func `its refusals are worded by its own table`() {
        let (id, _) = receive("coffee://address?sender=shop")
        let rejection = DecisionMade(
            decision: .reject, prompt: nil, wallet: nil, amount: nil, unlocked: false)
        #expect(decide(rejection, id) == "shop://coffee=7")
    }

    @Test(arguments: [
        "coffee://tea?sender=shop", "coffee://address?milk=1", "coffee://address?sender=a:b",
        "coffee://address?req-milk=1&sender=shop",
    ])
    mutating func `its wrong links are refused`(link: String) {
        let (_, outcomes) = receive(link)
        guard case .requestRefused = outcomes.first else {
            Issue.record("\(outcomes)")
            return
        }
    }

    @Test func `no other protocol parses its links, and it parses no other's`() {
        let link = Bytes("coffee://address?sender=shop".utf8)
        #expect(Self.protocols.count { $0.canParse(link) } == 1)
        #expect(Links.parse(link) == .refused(
            Refusal(.unsupportedScheme), caller: nil, reference: nil))
        for text in ["dashwallet://request=address&sender=a", "iconex://bind?caller=a"] {
            #expect(!CoffeeLink().canParse(Bytes(text.utf8)))
        }
    }
}
