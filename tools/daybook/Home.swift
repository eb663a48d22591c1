import Daybook
import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// The folder of the store that a command works on.
enum Home {
    static let option = Command.Option(
        "--home", "DIR", "the store; else $DAYBOOK_HOME, $XDG_DATA_HOME/daybook")

    static let acceptsClock = Command.Option(
        "--accept-clock", nil, "accept this machine's clock, however far it has jumped")

    /// The name of this front end in the log.
    private static let frontEnd = "daybook-cli"

    static func path(_ invocation: Invocation) throws(CommandFailure) -> String {
        func variable(_ name: String) -> String? {
            EnvironmentVariables.value(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        if let path = invocation.value(option.name) ?? variable("DAYBOOK_HOME") { return path }
        if let data = variable("XDG_DATA_HOME") { return data + "/daybook" }
        if let user = variable("HOME") { return user + "/.local/share/daybook" }
        throw .usage("where is the store? give --home DIR or set DAYBOOK_HOME")
    }

    static func open(_ path: String, acceptsClock: Bool = false) throws -> Store {
        try Store(opening: path, frontEnd: frontEnd, acceptsClock: acceptsClock)
    }

    /// Opens the store that a command works on.
    static func open(_ invocation: Invocation) throws -> Store {
        try open(try path(invocation), acceptsClock: invocation.has(acceptsClock.name))
    }
}

extension Command {
    /// Makes a command that works on an open store.
    init(
        _ name: String, _ arguments: String = "", count: ClosedRange<Int> = 0...0,
        does summary: String, options: [Option] = [], changes: Bool = false,
        store run: @escaping @Sendable (Invocation, Store) async throws -> ExitStatus
    ) {
        self.init(
            name, arguments, count: count, does: summary, options: options, changes: changes
        ) { invocation in
            try await run(invocation, try Home.open(invocation))
        }
    }
}

extension CommandFailure {
    /// Converts an error of a command.
    @Sendable init(explaining error: any Error) {
        switch error {
        case let error as DaybookError:
            self.init(
                error.code.rawValue, ExitStatus(error.kind), quoting: error.message,
                position: error.position)
        case let error as SystemError:
            self.init(
                error.code.reason ?? "systemError", .store, quoting: error.description)
        default:
            self.init("failed", .store, quoting: "\(error)")
        }
    }
}

extension ExitStatus {
    init(_ kind: DaybookError.Kind) {
        self =
            switch kind {
            case .refused: .refused
            case .usage: .usage
            case .store: .store
            case .passphrase: .passphrase
            case .node: .node
            }
    }
}

/// A wallet as a user names it: by id or label.
enum WalletName {
    static func find(_ name: String, _ store: Store) async throws -> Wallet {
        let wallets = try await store.wallets()
        if let id = UInt64(name).map({ WalletID($0) }),
            let wallet = wallets.first(where: { $0.id == id })
        {
            return wallet
        }
        let matches = wallets.filter { $0.label.map { Text.equal($0, name) } ?? false }
        guard let wallet = matches.first else {
            throw CommandFailure(
                "unknownWallet", .refused,
                "no wallet has the id or label '\(CommandFailure.quoted(name))'")
        }
        guard matches.count == 1 else {
            let ids = matches.map { $0.id.description }.joined(separator: ", ")
            throw CommandFailure(
                "ambiguousWallet", .usage, "several wallets have this label; use an id: \(ids)")
        }
        return wallet
    }

    static func findIfNamed(_ name: String?, _ store: Store) async throws -> Wallet? {
        guard let name else { return nil }
        return try await find(name, store)
    }
}

/// Amounts in whole coins, as people type and read them.
enum CoinAmount {
    /// The minor units of an amount such as `1.5`.
    static func parse(_ text: String, decimals: Int) throws(CommandFailure) -> UInt256 {
        if let minor = DecimalAmount.parse(text, decimals: decimals) { return minor }
        if DecimalAmount.parse(text, decimals: 70) != nil {
            throw CommandFailure(
                "amountTooPrecise", .usage, "the amount has more than \(decimals) decimals")
        }
        throw CommandFailure(
            "invalidAmount", .usage,
            "'\(CommandFailure.quoted(text))' is not a decimal amount such as 1.5")
    }

    /// Formats minor units as an amount of whole coins.
    static func format(_ minor: String, decimals: Int) -> String {
        UInt256(decimal: minor).map { DecimalAmount.format($0, decimals: decimals) } ?? minor
    }
}
