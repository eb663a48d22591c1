import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding

extension Command {
    static let balance = Command(
        "balance", does: """
            show the wallets' balances
            Confirmed plus unconfirmed equals reserved plus held plus available. Held are immature
            block rewards, and unconfirmed payments of others.
            """,
        options: [
            Option("--wallet", "W", "of this wallet only, by id or label"),
            Option("--at", "N", "as of event N"),
            KeptHistory.option,
        ]
    ) { invocation in
        guard let position: Position = try invocation.id("--at") else {
            let store = try Home.open(invocation)
            return try await showBalances(invocation, store) {
                try await store.balances(wallet: $0)
            }
        }
        return try await KeptHistory.run(invocation) { folder in
            let store = try Home.open(invocation)
            return try await showBalances(invocation, store) {
                defer { ProgressLine.clear() }
                return try await store.balances(
                    wallet: $0, at: position, history: folder,
                    progress: ProgressLine.ofEvents("balances"))
            }
        }
    }

    private static func showBalances(
        _ invocation: Invocation, _ store: Store,
        _ read: (_ wallet: WalletID?) async throws -> [Balance]
    ) async throws -> ExitStatus {
        let wallet = try await WalletName.findIfNamed(invocation.value("--wallet"), store)
        let balances = try await read(wallet?.id)
        for balance in balances where invocation.console.isJSON {
            try invocation.console.result(balance.json, "")
        }
        // Few wallets have frozen coins.
        let frozen = balances.contains { $0.frozen != "0" }
        let head = ["wallet", "asset", "confirmed", "unconfirmed", "reserved", "held"]
            + (frozen ? ["frozen"] : []) + ["available"]
        try invocation.console.text(
            balances.isEmpty
                ? "nothing yet"
                : Console.columns(
                    [head] + balances.map { $0.cells(frozen) }, right: [0, 2, 3, 4, 5, 6, 7]))
        for outage in try await outages(invocation, store) {
            try invocation.console.note("\(Text.escaped(outage.sentence))")
        }
        return .done
    }

    /// The chains that can't be read now, so that today's amounts may be others.
    private static func outages(
        _ invocation: Invocation, _ store: Store
    ) async throws -> [ChainOutage] {
        invocation.has("--at") ? [] : try await store.outages()
    }

    static let bindings = Command(
        "bindings", does: "list the addresses and keys that callers were given"
    ) { invocation, store in
        let bindings = try await store.bindings()
        for binding in bindings {
            try invocation.console.result(binding.json, binding.text)
        }
        if bindings.isEmpty { try invocation.console.text("nobody was given anything yet") }
        return .done
    }

    static let callbacks = Command(
        "callbacks", does: "list the callback URLs that have not been opened",
        options: [Option("--delivered", "N", "record that the callback of request N was opened")]
    ) { invocation, store in
        if let id: RequestID = try invocation.id("--delivered") {
            let callback = try await store.delivered(id)
            try invocation.console.result(
                callback.json, "the callback of request \(id) is delivered")
            return .done
        }
        let callbacks = try await store.callbacks()
        for callback in callbacks {
            try invocation.console.result(
                callback.json, "request \(callback.request)  \(callback.url)")
        }
        if callbacks.isEmpty { try invocation.console.text("all callbacks are delivered") }
        return .done
    }
}

extension Balance {
    fileprivate func cells(_ withFrozen: Bool) -> [String] {
        let parts = [confirmed, unconfirmed, reserved, held] + (withFrozen ? [frozen] : [])
        let amounts = (parts + [available]).map { minor in
            decimals.map { CoinAmount.format(minor, decimals: $0) } ?? "\(minor) units"
        }
        let name = Text.equal(symbol, asset) ? asset : "\(Text.escaped(symbol)) \(asset)"
        return [wallet.description, name] + amounts
    }
}

extension Binding {
    fileprivate var text: TerminalText {
        let head: TerminalText = """
            \(Text.escaped(caller)) was given the \(kind.rawValue) of wallet \(wallet) \
            at \(Timestamp.seconds(time)) by request \(request)
            """
        return ([head] + values.map { "  \($0)" }).joined(separator: "\n")
    }
}
