import Daybook
import DaybookCommands
import DaybookEncoding

/// What a user calls a wallet: its id or its label.
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

extension ChainName {
    /// How many decimals an amount of whole coins has.
    var decimals: Int { self == .icon ? 18 : 8 }

    var coin: String {
        switch self {
        case .dash: "DASH"
        case .axe: "AXE"
        case .icon: "ICX"
        }
    }
}

/// Amounts of whole coins, as people type and read them.
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

    /// A decimal text of minor units as an amount of whole coins.
    static func format(_ minor: String, decimals: Int) -> String {
        UInt256(decimal: minor).map { DecimalAmount.format($0, decimals: decimals) } ?? minor
    }
}
