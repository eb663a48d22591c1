import DaybookChains
import DaybookDomain
public import DaybookEncoding
import DaybookNodes

extension Store {
    /// Pays coins of the faucet to a sandbox wallet, mines a block, and syncs.
    ///
    /// On ICON, `token` pays the sandbox's token instead of ICX.
    /// Returns the transaction's id or hash.
    ///
    /// - Throws: `unknownWallet`, `notSandbox`, or the chain's own refusal.
    public func fundFromFaucet(
        _ wallet: WalletID, amount: MinorAmount, token: Bool = false
    ) async throws(DaybookError) -> String {
        try await convertingErrors {
            let row = try sandboxWallet(wallet)
            guard !amount.isNegative else {
                throw DaybookError("invalidAmount", .usage, "the amount is less than zero")
            }
            let minor = amount.magnitude
            let id: String
            if row.wallet.chain.rules.ledger == .accounts {
                id = try await fund(row.address, minor, token: token)
            } else {
                id = try await fund(wallet, row.wallet.chain, minor)
            }
            try await mine(1, on: row.wallet.chain)
            // A scan asks only for tokens that a wallet is known to hold, and for those named.
            if token {
                try await worker.scan(
                    row.wallet.chainID, ScanRequest(tokens: [ICONSandbox.token.text]))
            }
            try await sync([row.wallet.chainID])
            return id
        }
    }

    /// Mines blocks on every sandbox chain that has a wallet, and syncs.
    public func mine(_ count: Int = 1) async throws(DaybookError) {
        try await convertingErrors {
            guard (1...10_000).contains(count) else {
                throw DaybookError("invalidCount", .usage, "1 to 10000 blocks")
            }
            let chainIDs = try sandboxChains()
            for chainID in chainIDs { try await mine(count, on: chainID.chain) }
            try await sync(chainIDs)
        }
    }

    /// Replaces the last blocks of a sandbox chain (a reorganization), and syncs.
    ///
    /// - Throws: `invalidCount` if the chain has fewer blocks.
    public func reorganise(_ name: ChainName, depth: Int) async throws(DaybookError) {
        try await convertingErrors {
            let chain = DaybookChains.Chain(name)
            let done: Bool
            if chain.rules.ledger == .accounts {
                done = try await chains.icon { sandbox, _ in sandbox.reorganise(depth) != nil }
            } else {
                done = try await chains.utxo(chain) { sandbox, now in
                    sandbox.reorganise(depth, at: now)
                }
            }
            guard done else {
                throw DaybookError("invalidCount", .usage, "the chain has fewer blocks")
            }
            try await sync(try sandboxChains().filter { $0.chain == chain })
        }
    }

    /// A misbehavior of a sandbox chain.
    public enum Fault: Sendable, Equatable {
        case none
        /// Refuse the next transaction with this code and text.
        case refuseNext(code: Int, message: String)
        /// Lose the next transaction, and give no answers from then on.
        case loseNext
        /// Accept the next transaction, but give no answer.
        case loseNextAnswer
        /// Give no answers at all.
        case silent
        /// Dash, Axe: make no InstantSend locks.
        case withholdLocks
    }

    /// Makes a sandbox chain misbehave, for tests of a front end.
    public func setFault(_ fault: Fault, on name: ChainName) async throws(DaybookError) {
        try await convertingErrors {
            let chain = DaybookChains.Chain(name)
            if chain.rules.ledger == .accounts {
                try await chains.icon { sandbox, _ in sandbox.switches = .init(fault) }
            } else {
                try await chains.utxo(chain) { sandbox, _ in sandbox.switches = .init(fault) }
            }
        }
    }

    // MARK: - Helpers

    private func sandboxWallet(_ id: WalletID) throws -> WalletRow {
        try journal.read { state in
            guard let row = state.wallet(id) else {
                throw DaybookError("unknownWallet", .refused, "there is no such wallet")
            }
            guard row.wallet.network == .sandbox else {
                throw DaybookError("notSandbox", .usage, "the wallet is not on the sandbox")
            }
            try keys.check(row.wallet, id)
            return row
        }
    }

    /// The embedded chains that have wallets.
    private func sandboxChains() throws -> [ChainID] {
        try journal.read { state in
            chains.clients.keys.sorted().filter { chainID in
                state.wallets(of: chainID.chain).contains { $0.row.wallet.chainID == chainID }
            }
        }
    }

    private func fund(_ holder: String, _ amount: UInt256, token: Bool) async throws -> String {
        guard let address = ICONAddress(holder) else {
            throw DaybookError("unknownWallet", .store, "the wallet's address is damaged")
        }
        let hash = try await chains.icon { sandbox, now in
            do throws(ICONRefusal) {
                return token
                    ? try sandbox.fundTokens(address, amount: amount, at: now)
                    : try sandbox.fund(address, loop: amount, at: now)
            } catch {
                throw DaybookError("refusedByNode", .node, error.message)
            }
        }
        return "0x" + Hex.encode(hash)
    }

    private func fund(
        _ wallet: WalletID, _ chain: Chain, _ amount: UInt256
    ) async throws -> String {
        let text = try journal.read { state in
            state.nextAddress(wallet, caller: nil)?.text ?? ""
        }
        guard let address = UTXOAddress(text, chain: chain), let duffs = UInt64(amount.decimal)
        else { throw DaybookError("invalidAmount", .usage, "the amount is out of range") }
        return try await chains.utxo(chain) { sandbox, _ in
            do throws(UTXORefusal) {
                return try sandbox.fund(address, amount: duffs).hex
            } catch {
                throw DaybookError("refusedByNode", .node, error.message)
            }
        }
    }

    private func mine(_ count: Int, on chain: Chain) async throws {
        if chain.rules.ledger == .accounts {
            try await chains.icon { sandbox, now in _ = sandbox.mine(count, at: now) }
        } else {
            try await chains.utxo(chain) { sandbox, now in sandbox.mine(count, at: now) }
        }
    }
}

extension UTXOSandbox.Switches {
    fileprivate init(_ fault: Store.Fault) {
        self.init()
        switch fault {
        case .none: break
        case .refuseNext(let code, let message):
            refuseNext = UTXORefusal(code: code, message: message)
        case .loseNext: losesNext = true
        case .loseNextAnswer: losesNextAnswer = true
        case .silent: isSilent = true
        case .withholdLocks: withholdsLocks = true
        }
    }
}

extension ICONSandbox.Switches {
    fileprivate init(_ fault: Store.Fault) {
        self.init()
        switch fault {
        case .none, .withholdLocks: break
        case .refuseNext(let code, let message):
            refuseNext = ICONRefusal(code: code, message: message)
        case .loseNext: losesNext = true
        case .loseNextAnswer: losesNextAnswer = true
        case .silent: isSilent = true
        }
    }
}
