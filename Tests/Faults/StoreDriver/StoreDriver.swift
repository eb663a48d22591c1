internal import Daybook
internal import DaybookCrypto
internal import DaybookSystem
internal import Glibc
internal import Synchronization
internal import TestSupport

/// A front end that tests kill, run several times at once, starve of disk and make somebody else.
///
///     StoreDriver [--user N] [--kill N] [--kill-at-disk N] COMMAND HOME [ARGUMENT…]
///
/// With `--kill` it ends itself at the n-th place that a probe marks, with `--kill-at-disk` just
/// before its n-th call that syncs or renames. Every place, call, result and error is a line on
/// standard output as soon as it is known.
@main
struct StoreDriver {
    static func main() async {
        var words = Array(CommandLine.arguments.dropFirst())
        var fatal = Int.max
        DiskCalls.count(dyingAt: .max)
        while words.count > 1, words[0].hasPrefix("--"), let number = Int(words[1]) {
            if words[0] == "--kill" { fatal = number }
            if words[0] == "--kill-at-disk" { DiskCalls.count(dyingAt: number) }
            if words[0] == "--user" {
                _ = setgid(gid_t(number))
                _ = setuid(uid_t(number))
            }
            words.removeFirst(2)
        }
        do {
            guard words.count >= 2 else { throw Misuse() }
            let front = FrontEnd(home: words[1], fatal: fatal)
            try await front.run(words[0], Array(words.dropFirst(2)))
        } catch let error as DaybookError {
            say("error \(error.code) \(error.message)")
            Process.exit(1)
        } catch {
            say("error \(error)")
            Process.exit(1)
        }
    }
}

/// One line to whoever started this program.
func say(_ line: String) {
    do {
        try StandardStreams.write(line + "\n", to: .output)
    } catch {
        // The test has gone.
        Process.exit(1)
    }
}

struct Misuse: Error {}

/// The passphrase of a user; the tests' wallets are all sealed by it.
let passphrase = "correct horse"

extension Passphrase {
    init(_ text: String) {
        var bytes = Array(text.utf8)
        self.init(wiping: &bytes)
    }
}

/// A store as a front end uses it, from opening it to handing a callback out.
struct FrontEnd {
    let home: String
    private let options: StoreOptions

    /// `fatal` is the number of the probe's call that the process does not survive.
    init(home: String, fatal: Int) {
        self.home = home
        let counter = Counter(fatal: fatal)
        var options = StoreOptions()
        options.scrypt = .cheap
        options.probe = { counter.reach($0) }
        self.options = options
    }

    /// Counts the places that are reached.
    private final class Counter: Sendable {
        private let reached = Mutex(0)
        private let fatal: Int

        init(fatal: Int) { self.fatal = fatal }

        func reach(_ name: String) {
            let number = reached.withLock { count in
                count += 1
                return count
            }
            say("probe \(name)")
            if number == fatal { _ = kill(Process.identifier, SIGKILL) }
        }
    }

    func open() throws -> Store {
        try Store(opening: home, frontEnd: "driver", options: options)
    }

    func run(_ command: String, _ arguments: [String]) async throws {
        switch (command, arguments.count) {
        case ("create", 0): try Store.create(at: home)
        case ("open", 0): _ = try open()
        case ("add", 1): try await add(arguments[0])
        case ("receive", 2): _ = try await receive(try open(), arguments[0], arguments[1])
        case ("handle", 2): try await handle(arguments[0], arguments[1])
        case ("crowd", 1): try await crowd(Int(arguments[0]) ?? 0)
        case ("reject", 2): try await reject(arguments[0], arguments[1])
        case ("follow", 0): try ReaderProcess(log: home + "/log").follow()
        case ("follow", 1):
            guard let fault = ReaderProcess.Fault(rawValue: arguments[0]) else { throw Misuse() }
            try ReaderProcess(log: home + "/log", fault: fault).follow()
        case ("replay", 0): try ReaderProcess(log: home + "/log").replay()
        case ("resume", 0): try await open().resume()
        case ("sync", 0): _ = try await open().sync()
        case ("export", 1): try await open().export(to: arguments[0])
        case ("archive", 1):
            let done = try await open().archive(to: arguments[0], segmentsOf: 10, keeping: 2)
            say("archived \(done.events) \(done.removed)")
        case ("import", 1):
            let summary = try await open().import(from: arguments[0])
            say("\(summary.status.rawValue) \(summary.events)")
        case ("stress", 2):
            guard let seconds = UInt64(arguments[0]), let seed = UInt64(arguments[1]) else {
                throw Misuse()
            }
            var stress = Stress(store: try open(), seed: seed)
            try await stress.run(seconds: seconds)
        case ("patient", 2):
            guard let seed = UInt64(arguments[0]), let pause = Int(arguments[1]) else {
                throw Misuse()
            }
            try await workPatiently(seed: seed, pausing: pause)
        default: throw Misuse()
        }
    }

    /// Opens the store as soon as its database lets it, and works on it until it is killed.
    private func workPatiently(seed: UInt64, pausing milliseconds: Int) async throws {
        var opened: Store?
        while opened == nil {
            try await Stress.patiently { opened = try open() }
        }
        guard let opened else { return }
        say("opened")
        var stress = Stress(store: opened, seed: seed)
        try await stress.runPatiently(pausing: milliseconds)
    }

    private func add(_ name: String) async throws {
        guard let chain = ChainName(rawValue: name) else { throw Misuse() }
        let words = Array(repeating: "abandon", count: 11) + ["about"]
        let source: WalletSource =
            chain == .icon
            ? .hexKey(Passphrase(String(repeating: "0", count: 63) + "1"))
            : .mnemonic(Passphrase(words.joined(separator: " ")))
        let added = try await open().addWallet(
            source, chain: chain, sealedBy: Passphrase(passphrase))
        say("wallet \(added.wallet.id)")
    }

    private func receive(_ store: Store, _ key: String, _ text: String) async throws
        -> WalletRequest
    {
        let request = try await store.receive(text, key: key)
        say("request \(request.id) \(request.status.rawValue)")
        return request
    }

    /// Does all that a front end does for one link; done again it goes on where it stopped.
    private func handle(_ key: String, _ text: String) async throws {
        let store = try open()
        var request = try await receive(store, key, text)
        if request.status == .pending {
            request = try await store.approve(
                request.id, shown: try await store.prompt(for: request.id),
                unlockedBy: Passphrase(passphrase))
            say("request \(request.id) \(request.status.rawValue)")
        }
        try await handOut(request, store)
        _ = try await store.sync()
    }

    private func reject(_ key: String, _ text: String) async throws {
        let store = try open()
        var request = try await receive(store, key, text)
        if request.status == .pending {
            request = try await store.reject(request.id)
            say("request \(request.id) \(request.status.rawValue)")
        }
        try await handOut(request, store)
    }

    /// So many tasks of one store at once receive a request and reject it.
    private func crowd(_ count: Int) async throws {
        let store = try open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    let request = try await store.receive(
                        "dashwallet://request=address&sender=caller\(number)")
                    say("received \(request.id)")
                    _ = try await store.reject(request.id)
                    say("rejected \(request.id)")
                }
            }
            try await group.waitForAll()
        }
    }

    private func handOut(_ request: WalletRequest, _ store: Store) async throws {
        guard let url = request.callback else { return }
        say("callback \(url)")
        _ = try await store.delivered(request.id)
    }
}
