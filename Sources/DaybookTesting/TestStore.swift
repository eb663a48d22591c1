public import Daybook
import DaybookCrypto
public import DaybookEncoding
import DaybookSystem

/// A store for a front end's own tests: in memory, with a clock that the test sets.
///
/// Its chains are embedded ones, and its wallets have known keys that `passphrase` unlocks at once.
/// For example:
///
///     let test = try TestStore()
///     try await test.addWallet(.dash)
///     let request = try await test.store.receive("dashwallet://request=address&sender=shop")
///     test.clock.advance(seconds: 60)
///     let done = try await test.approve(request.id)
///     #expect(done.status == .completed && done.callback != nil)
///
/// Its folder is in `/dev/shm`, or on disk where the system has none, and is removed with this
/// value; the next test removes those of killed tests. Opening one takes milliseconds. Stores share
/// nothing, so tests can run in parallel.
public final class TestStore: Sendable {
    /// The store, as a front end opens it.
    public let store: Store
    /// The clock of the store and of its chains.
    public let clock: TestClock
    /// Removes the folder.
    private let folder: Monitor<ScratchFolder>

    /// Creates a store without wallets; `frontEnd` names the caller in the log.
    ///
    /// - Throws: what `Store.create` and `Store.init` throw.
    public init(clock: TestClock = TestClock(), frontEnd: String = "tests") throws {
        let folder: ScratchFolder
        do {
            folder = try ScratchFolder(inMemory: true)
        } catch {
            throw DaybookError.from(error)
        }
        let path = folder.path + "/store"
        try Store.create(at: path)
        store = try Store(opening: path, frontEnd: frontEnd, options: Self.options(clock))
        self.clock = clock
        self.folder = Monitor(folder)
    }

    private static func options(_ clock: TestClock) -> StoreOptions {
        var options = StoreOptions()
        options.clock = { clock.read() }
        // Key derivation of the usual cost would take most of a test's time.
        options.scrypt = Scrypt.Parameters(n: 16, r: 1, p: 1)
        options.pause = { seconds in
            clock.advance(seconds: UInt64(max(seconds, 0)))
            try await Task.sleep(for: .milliseconds(1))
        }
        return options
    }

    // MARK: - Wallets

    /// The passphrase of all wallets that `addWallet` adds.
    public static let passphrase = "correct horse"

    /// The words of the Dash and Axe wallets that `addWallet` adds, by number.
    public static let mnemonics = [
        "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon "
            + "about",
        "legal winner thank year wave sausage worth useful legal winner thank yellow",
        "letter advice cage absurd amount doctor acoustic avoid letter advice cage above",
    ]

    /// Adds a wallet with a known key to an embedded chain, and funds it.
    ///
    /// It gets 10 DASH or AXE, or 9 ICX and tokens, in a block. `number` is 0, 1 or 2: each is
    /// another wallet, with words of `mnemonics` or, on ICON, the private key `number + 1`.
    @discardableResult
    public func addWallet(
        _ chain: ChainName, number: Int = 0, label: String? = nil, isFunded: Bool = true
    ) async throws -> Wallet {
        precondition(Self.mnemonics.indices.contains(number), "a test wallet has number 0, 1 or 2")
        let source: WalletSource =
            chain == .icon
            ? .hexKey(Self.secret(String(repeating: "0", count: 63) + "\(number + 1)"))
            : .mnemonic(Self.secret(Self.mnemonics[number]))
        let wallet = try await store.addWallet(
            source, chain: chain, label: label, sealedBy: Self.secret(Self.passphrase)
        ).wallet
        guard isFunded else { return wallet }
        let amount: MinorAmount = chain == .icon ? 9_000_000_000_000_000_000 : 1_000_000_000
        _ = try await store.fundFromFaucet(wallet.id, amount: amount)
        if chain == .icon {
            _ = try await store.fundFromFaucet(wallet.id, amount: 5000, token: true)
        }
        return wallet
    }

    /// A copy of `passphrase` for one call, which wipes it.
    public static func unlocking() -> Passphrase { secret(passphrase) }

    private static func secret(_ text: String) -> Passphrase {
        var bytes = Array(text.utf8)
        return Passphrase(wiping: &bytes)
    }

    // MARK: - Users and chains

    /// Approves a request, as a user does who was shown its present prompt.
    ///
    /// - Throws: what `Store.prompt` and `Store.approve` throw.
    public func approve(
        _ request: RequestID, wallet: WalletID? = nil, amount: MinorAmount? = nil,
        coins: ChosenCoins = .automatic
    ) async throws -> WalletRequest {
        let shown = try await store.prompt(
            for: request, wallet: wallet, amount: amount, coins: coins)
        return try await store.approve(
            request, shown: shown, wallet: wallet, amount: amount, coins: coins,
            unlockedBy: Self.unlocking())
    }

    /// Runs `body` while an embedded chain misbehaves, and ends the fault.
    ///
    /// For example, an approval whose node does not say whether it has the transaction:
    ///
    ///     let sent = try await test.with(.loseNextAnswer, on: .dash) {
    ///         try await test.approve(payment.id)
    ///     }
    ///
    /// `Store.reorganise` replaces blocks, and `Store.mine` makes them.
    public func with<Value: Sendable>(
        _ fault: Store.Fault, on chain: ChainName, _ body: () async throws -> Value
    ) async throws -> Value {
        try await store.setFault(fault, on: chain)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        try await store.setFault(.none, on: chain)
        return try result.get()
    }
}
