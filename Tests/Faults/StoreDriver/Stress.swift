internal import Daybook
internal import DaybookEncoding
internal import DaybookSystem
internal import TestSupport

/// One of several front ends that use a store at once, each as fast as it can.
///
/// It says what it was told was done; a refusal is the others' doing, anything else ends it. Only a
/// front end that is patient with its database says what failed there, and goes on.
struct Stress {
    private let store: Store
    private var random: Seeded
    private let name: UInt64
    private var count: UInt64 = 0
    private var approvals = 0
    private var rejections = 0

    init(store: Store, seed: UInt64) {
        self.store = store
        name = seed
        random = Seeded(seed)
    }

    /// Works for so long, and on a slow machine until it has decided enough to be worth a look.
    mutating func run(seconds: UInt64) async throws {
        let end = Clock.nowMicroseconds() + seconds * 1_000_000
        while Clock.nowMicroseconds() < end || approvals < 6 || rejections < 2 {
            try await stepOrBeRefused()
        }
        say("ended")
    }

    /// Works until it is killed, with pauses, whatever the log's database does.
    mutating func runPatiently(pausing milliseconds: Int) async throws {
        while true {
            try await Self.patiently { try await stepOrBeRefused() }
            Pause.milliseconds(milliseconds)
        }
    }

    /// Says what a database failed to do; whether it did it.
    @discardableResult
    static func patiently(_ body: () async throws -> Void) async throws -> Bool {
        do {
            try await body()
            return true
        } catch let error as DaybookError where error.code.rawValue.hasPrefix("database") {
            say("failed \(error.code)")
            Pause.milliseconds(200)
            return false
        }
    }

    private mutating func stepOrBeRefused() async throws {
        do {
            try await step()
        } catch let error as DaybookError where error.kind == .refused {
            say("refused \(error.code)")
        }
    }

    private mutating func step() async throws {
        switch random.below(10) {
        case 0...3:
            count += 1
            let request = try await store.receive(link(), key: "\(name)-\(count)")
            say("received \(request.id) \(request.status.rawValue)")
        case 4...6:
            guard let request = try await any() else { return }
            let shown = try await store.prompt(for: request.id)
            let done = try await store.approve(
                request.id, shown: shown, unlockedBy: Passphrase(passphrase))
            approvals += 1
            say("approved \(done.id) \(done.status.rawValue) \(done.transaction ?? "-")")
        case 7, 8:
            guard let request = try await any() else { return }
            let done = try await store.reject(request.id)
            rejections += 1
            say("rejected \(done.id)")
        default:
            switch random.below(4) {
            case 0: try await store.mine(1)
            case 1: try await store.setFault(.loseNextAnswer, on: chain())
            case 2:
                let made = try await store.checkpoint()
                say("checkpoint \(made.size) \(made.root)")
            default: _ = try await store.sync()
            }
        }
    }

    /// A pending request, mostly one of the first, which the others will want too.
    private mutating func any() async throws -> WalletRequest? {
        let pending = try await store.pending()
        return pending.isEmpty ? nil : pending[random.below(min(3, pending.count))]
    }

    private mutating func chain() -> ChainName {
        random.pick([.dash, .axe, .icon])
    }

    /// A link with an amount that no other has, so that a payment can be told from all others.
    private mutating func link() -> String {
        let unique = 100_000 + count * 2000 + name % 2000
        let amount = "0." + String(String(unique + 100_000_000).dropFirst())
        switch random.below(6) {
        case 0, 1:
            return "dashwallet://pay=XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa&amount=\(amount)"
                + "&sender=stress"
        case 2:
            return "axewallet://pay=P8bB9yPr3vVByqfmM5KXftyGckAtAdu6f8&amount=\(amount)"
                + "&sender=stress"
        case 3: return "dashwallet://request=address&sender=stress\(unique)"
        case 4: return connect(#"{"id":\#(unique),"method":"bind"}"#)
        default:
            return connect(
                #"{"id":\#(unique),"method":"sendICX","params":{"#
                    + #""from":"hx0502987e630ea7ebb2bf1d84a65a727109385bcf","#
                    + #""to":"hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e","#
                    + #""value":"0x\#(String(unique, radix: 16))"}}"#)
        }
    }

    private func connect(_ json: String) -> String {
        var data = Base64.encode(Bytes(json.utf8))
        let padding = data.reversed().prefix { $0 == "=" }.count
        data.removeLast(padding)
        data += String(repeating: "%3D", count: padding)
        return "iconex://?data=\(data)&caller=stress://"
    }
}
