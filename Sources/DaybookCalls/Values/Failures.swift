package import Daybook
package import DaybookCommands
package import DaybookEncoding
import DaybookSystem

extension CommandFailure {
    static let resultType = ResultType(
        "Problem",
        [.init("code", .text), .init("message", .text), .optional("position", .number)])

    /// Converts an error of the facade or of the system.
    @Sendable package init(explaining error: any Error) {
        switch error {
        case let error as CommandFailure: self = error
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

extension CommandFailure {
    /// The codes of errors that calls end with, each once, in the order of the alphabet.
    package static let codes: [String] = {
        let ofCalls = [
            "ambiguousWallet", "logNotServed", "logUnnamed", "noPage", "parseError", "refused",
            "sendUnanswered", "storeClosed", "tooManyTokens", "unknownSubscription", "usage",
        ]
        return Set(DaybookError.Code.all.map(\.rawValue) + ofCalls).sorted()
    }()
}

extension ExitStatus {
    /// The status of a command that fails with such an error.
    package init(_ kind: DaybookError.Kind) {
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
package enum WalletName {
    /// The wallet with this id or label; throws if there is none, or more than one.
    package static func find(_ name: String, _ store: Store) async throws -> Wallet {
        let wallets = try await store.wallets()
        if let id = OutsideNumber.parse(name).map({ WalletID($0) }),
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

    /// The wallet with this id or label; nil without a name.
    package static func findIfNamed(_ name: String?, _ store: Store) async throws -> Wallet? {
        guard let name else { return nil }
        return try await find(name, store)
    }
}

/// Amounts in whole coins, as people type and read them.
package enum CoinAmount {
    /// The minor units of an amount such as `1.5`.
    package static func parse(_ text: String, decimals: Int) throws(CommandFailure) -> UInt256 {
        if let minor = DecimalAmount.parse(text, decimals: decimals) { return minor }
        if DecimalAmount.parse(text, decimals: 70) != nil {
            throw CommandFailure(
                "amountTooPrecise", .usage, "the amount has more than \(decimals) decimals")
        }
        throw CommandFailure(
            "invalidAmount", .usage,
            "'\(CommandFailure.quoted(text))' is not a decimal amount such as 1.5")
    }

    /// An amount of Dash or Axe, of which there are 21 million coins.
    package static func duffs(_ minor: UInt256) throws(CommandFailure) -> UInt64 {
        guard let amount = UInt64(exactly: minor), amount <= 21_000_000 * 100_000_000 else {
            throw CommandFailure("amountTooLarge", .usage, "the amount is larger than all coins")
        }
        return amount
    }

    /// An amount as whole coins in text; nil if the number of decimals is not known.
    static func json(_ amount: MinorAmount?, decimals: Int?) -> JSON? {
        guard let amount, let decimals else { return nil }
        return .string(amount.inCoins(decimals: decimals))
    }
}

extension JSON {
    /// An amount in minor units, as decimal text.
    static func minor(_ amount: MinorAmount) -> JSON { .string(amount.description) }
}
