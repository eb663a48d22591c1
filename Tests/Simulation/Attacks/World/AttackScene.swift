import Daybook
import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookSystem
import Simulator

/// A store with a past and with requests that wait, made once and altered in every trial.
struct AttackScene: Sendable {
    let network: Network
    let owner: Owner
    let folder: String
    let logID = Bytes("attacks, log no1".utf8)
    private(set) var moment: Computer.Moment
    private(set) var records: [EventRecord] = []
    /// The log's tables after each number of events.
    private(set) var images: [MemoryTables.Image] = []
    private(set) var intents: [Intent] = []
    /// An address of each chain that was paid in the past.
    private(set) var paid: [Chain: String] = [:]
    /// The requests of the intents, in their order.
    private(set) var requests: [RequestID] = []

    /// Makes the store of an owner below a folder that is there.
    init(_ owner: Owner, in folder: String) async throws {
        network = owner.network
        self.owner = owner
        self.folder = folder
        try Files.createDirectories(folder + "/keys", mode: 0o700)
        let computer = Computer(owner.network, folder: folder)
        computer.replaceLog(by: try Computer.emptyLog(logID))
        moment = computer.moment
        try await live(on: computer)
        intents = OpenedLinks(
            network: network, owner: owner, now: computer.now.withLock { $0 }).all
        try await ask(on: computer)
        records = try computer.records()
        try computer.openLog().bringForward()
        moment = computer.moment
        images = try Self.images(of: records, logID)
        images[records.count] = moment.log
        try await readHonestly()
    }

    /// A computer as it was when the last request had come.
    func computer() -> Computer {
        let computer = Computer(network, folder: folder)
        computer.moment = moment
        return computer
    }

    // MARK: - The past

    private func live(on computer: Computer) async throws {
        let store = try computer.open()
        try await owner.addWallets(to: store)
        for (chain, amounts) in Self.funds {
            for amount in amounts { try await fund(store, chain, amount, on: computer) }
        }
        try await fund(store, .icon, UInt256(5000), isToken: true, on: computer)
        for chain in Chain.allCases {
            computer.chains.mine(7, on: chain, at: computer.now.withLock { $0 })
        }
        _ = try await store.sync()
        let links = OpenedLinks(network: network, owner: owner, now: computer.now.withLock { $0 })
        let dash = links.address(OpenedLinks.shop(9), .dash)
        let parties = #""from":"\#(owner.icon.text)","to":"\#(OpenedLinks.payee)""#
        for link in [
            "dashwallet://pay=\(dash)&amount=0.3&sender=oldshop",
            "dashwallet://request=address&sender=oldshop",
            "dashwallet://request=masterPublicKey&account=0&sender=bookkeeper",
            "axewallet://pay=\(links.address(OpenedLinks.shop(8), .axe))&amount=0.1&sender=oldshop",
            links.connect(#"{"id":1,"method":"bind"}"#),
            links.connect(#"{"id":2,"method":"sendICX","params":{\#(parties),"value":"0x5"}}"#),
        ] {
            try await approve(try await store.receive(link), in: store)
            for chain in Chain.allCases {
                computer.chains.mine(2, on: chain, at: computer.now.withLock { $0 })
            }
            _ = try await store.sync()
        }
        for callback in try await store.callbacks().dropLast() {
            _ = try await store.delivered(callback.request)
        }
        _ = try await store.receive("dashwallet://pay=\(dash)&amount=1.5.0&sender=oldshop")
        let rejected = try await store.receive("dash:\(dash)?amount=0.25&label=Luke-Jr")
        _ = try await store.reject(rejected.id)
        try await approve(
            try await store.receive("dashwallet://pay=\(dash)&amount=0.05&sender=oldshop"),
            in: store)
    }

    private static let funds: [(Chain, [UInt256])] = [
        (
            .dash,
            [
                UInt256(100_000_000), UInt256(200_000_000), UInt256(150_000_000),
                UInt256(90_000_000),
            ]
        ),
        (.axe, [UInt256(100_000_000), UInt256(50_000_000)]),
        (.icon, [UInt256(9_000_000_000_000_000_000)]),
    ]

    private func fund(
        _ store: Store, _ chain: Chain, _ amount: UInt256, isToken: Bool = false,
        on computer: Computer
    ) async throws {
        let wallet = try await store.wallets().first { $0.chain.rawValue == chain.rawValue }
        guard let wallet else { throw Unusable("no wallet") }
        let now = computer.now.withLock { $0 }
        try computer.chains.fund(
            try await store.address(of: wallet.id), amount, on: chain, isToken: isToken, at: now)
        computer.chains.mine(1, on: chain, at: now)
        _ = try await store.sync()
    }

    private func approve(_ request: WalletRequest, in store: Store) async throws {
        guard let prompt = request.prompt else {
            throw Unusable("\(request.method ?? "?"): \(request.reason ?? request.status.rawValue)")
        }
        _ = try await store.approve(
            request.id, shown: prompt, unlockedBy: Computer.secret(Computer.passphrase))
    }

    // MARK: - What waits

    private mutating func ask(on computer: Computer) async throws {
        let store = try computer.open()
        paid[.icon] = owner.icon.text
        for chain in [Chain.dash, .axe] {
            let scripts = (owner.scripts[chain] ?? [:]).keys.sorted(by: ByteOrder.precedes)
            let coins = computer.chains.utxo(chain) { $0.outputs(of: scripts) }
            guard let parameters = UTXOParameters.of(chain, network), let coin = coins.first
            else { continue }
            paid[chain] = UTXOAddress(Script(coin.script), parameters)?.text
        }
        for intent in intents { requests.append(try await store.receive(intent.link).id) }
    }

    /// Notes what honest prompts say.
    private mutating func readHonestly() async throws {
        let store = try computer().open()
        for index in intents.indices {
            let intent = intents[index]
            let decimals = intent.chain == .icon ? 18 : 8
            let first = try await store.prompt(for: requests[index])
            intents[index].untyped = PromptReading(first, decimals: decimals)
            let prompt = try await store.prompt(
                for: requests[index], amount: intent.typed.map { MinorAmount($0) })
            let honest = PromptReading(prompt, decimals: decimals)
            guard !honest.hasProblem, !intent.spends || honest.fee != nil else {
                throw Unusable("\(intent.name): \(prompt.lines)")
            }
            intents[index].honest = honest
        }
    }

    private static func images(
        of records: [EventRecord], _ id: Bytes
    ) throws -> [MemoryTables.Image] {
        let tables = MemoryTables()
        tables.image = try Computer.emptyLog(id)
        var images = [tables.image]
        for record in records {
            try LogForgery.append([record], to: tables)
            images.append(tables.image)
        }
        return images
    }
}
