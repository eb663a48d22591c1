package import Daybook
import DaybookCommands
package import DaybookEncoding

extension Wallet {
    static let resultType = ResultType(
        "Wallet",
        [
            .init("wallet", .number), .init("chain", .text), .init("network", .text),
            .init("address", .orNull(.text), "null if there is a problem"),
            .init("label", .orNull(.text)),
            .optional("problem", .text, "why its keys can't be used"),
            .optional(
                "unlocked", .object(WalletUnlocking.resultType),
                "while `unlock` lets payments do without the passphrase"),
            .optional("watch", .text, "what `wallet.add` takes to watch it from another store"),
        ])

    /// The wallet as an object; its address is null if there is a problem.
    package var json: JSON {
        .record([
            "wallet": .int(id), "chain": .string(chain.rawValue),
            "network": .string(network.rawValue),
            "address": problem == nil ? .string(address) : .null,
            "label": label.map(JSON.string) ?? .null,
            "problem": problem.map { .string($0.rawValue) },
            "unlocked": unlocked?.json(on: chain),
        ])
    }

    /// The wallet as an object, with the public key by which another store can watch it.
    package func json(in store: Store) async throws -> JSON {
        // A wallet whose key is missing or differs has a problem and no keys.
        let key = problem == nil ? try await store.watchKey(of: id) : nil
        let watch = key.map { [JSON.Member(name: "watch", value: .string($0))] } ?? []
        return .object((json.objectValue ?? []) + watch)
    }
}

extension WalletUnlocking {
    fileprivate static let resultType = ResultType(
        "Unlocking",
        [
            .init("until", .time),
            .init("remaining", .amount, "what may still be paid, fees included"),
            .init("minor", .minor), .init("symbol", .text),
        ])

    /// Until when, and what may still be paid, as an object.
    fileprivate func json(on chain: ChainName) -> JSON {
        .record([
            "until": .string(Timestamp.text(until)),
            "remaining": CoinAmount.json(remaining, decimals: chain.decimals),
            "minor": .minor(remaining), "symbol": .string(chain.coin),
        ])
    }
}

extension Balance {
    static let resultType = ResultType(
        "Balance",
        [
            .init("wallet", .number), .init("asset", .text), .init("symbol", .text),
            .optional("decimals", .number, "of a whole coin; missing if a token tells none"),
            .init("confirmed", .minor), .init("unconfirmed", .minor), .init("reserved", .minor),
            .init("held", .minor),
            .init("frozen", .minor, "what the user froze, which no payment spends"),
            .init("immature", .minor), .init("available", .minor),
            .optional(
                "outage", .object(ChainOutage.resultType),
                "while the chain can't be read: the amounts are of its `lastRead`"),
        ])

    /// The balance as an object, its amounts in minor units.
    package var json: JSON {
        .record([
            "wallet": .int(wallet), "asset": .string(asset), "symbol": .string(symbol),
            "decimals": decimals.map { .int($0) }, "confirmed": .minor(confirmed),
            "unconfirmed": .minor(unconfirmed), "reserved": .minor(reserved),
            "held": .minor(held), "frozen": .minor(frozen), "immature": .minor(immature),
            "available": .minor(available), "outage": outage.map(\.json),
        ])
    }
}

extension WalletCoin {
    static let resultType = ResultType(
        "Coin",
        [
            .init("coin", .text, "`TXID:INDEX`"), .init("wallet", .number),
            .init("amount", .amount), .init("minor", .minor), .init("address", .text),
            .optional("height", .number), .init("frozen", .flag), .init("spendable", .flag),
            .optional("reservedBy", .number, "the request whose payment is to spend it"),
            .optional("label", .text),
        ])

    /// The coin as an object.
    package var json: JSON {
        .record([
            "coin": .string(id.description), "wallet": .int(wallet),
            "amount": CoinAmount.json(amount, decimals: 8), "minor": .minor(amount),
            "address": .string(address), "height": height.map { .int($0) },
            "frozen": .bool(isFrozen), "spendable": .bool(isSpendable),
            "reservedBy": reservedBy.map { .int($0) }, "label": label.map(JSON.string),
        ])
    }
}

extension ChainOutage {
    static let resultType = ResultType(
        "Outage",
        [
            .init("chain", .text), .init("network", .text), .optional("lastRead", .time),
            .init("since", .time), .init("reason", .text),
        ])

    /// Since when the chain has not been read, and why, as an object.
    package var json: JSON {
        .record([
            "chain": .string(chain.rawValue), "network": .string(network.rawValue),
            "lastRead": lastRead.map { .string(Timestamp.text($0)) },
            "since": .string(Timestamp.text(since)), "reason": .string(reason),
        ])
    }
}

extension Binding {
    static let resultType = ResultType(
        "Binding",
        [
            .init("request", .number), .init("caller", .text), .init("wallet", .number),
            .init("kind", .text), .init("values", .list(.text)), .init("at", .time),
        ])

    /// The binding as an object.
    package var json: JSON {
        .record([
            "request": .int(request), "caller": .string(caller), "wallet": .int(wallet),
            "kind": .string(kind.rawValue), "values": .array(values.map(JSON.string)),
            "at": .string(Timestamp.text(time)),
        ])
    }
}

extension HistoryEntry {
    static let resultType = ResultType(
        "HistoryEntry",
        [
            .init("entry", .number), .init("position", .number), .init("time", .time),
            .optional("height", .number),
            .optional("blockTime", .time, "when its block was made, as the node says"),
            .init("kind", .text), .init("asset", .text), .init("symbol", .text),
            .init("amount", .amount, "what the wallet got, or gave with a minus, fee included"),
            .init("minor", .minor), .optional("fee", .amount), .optional("to", .text),
            .optional("txid", .text), .optional("request", .number), .optional("status", .text),
            .optional("label", .text),
            .optional("worth", .amount, "what `amount` was worth then, in `currency`"),
            .optional("currency", .text),
        ])

    /// The entry as an object.
    package var json: JSON {
        .record([
            "entry": .int(id), "position": .int(position),
            "time": .string(Timestamp.text(time)), "height": height.map { .int($0) },
            "blockTime": blockTime.map { .string(Timestamp.text($0)) },
            "kind": .string(kind.rawValue), "asset": .string(asset), "symbol": .string(symbol),
            "amount": .string(amount.inCoins(decimals: decimals ?? 0)),
            "minor": .minor(amount), "fee": CoinAmount.json(fee, decimals: decimals),
            "to": recipient.map(JSON.string), "txid": transaction.map(JSON.string),
            "request": request.map { .int($0) },
            "status": status.map { .string($0.rawValue) }, "label": label.map(JSON.string),
            "worth": worth.map(JSON.string), "currency": worthCurrency.map(JSON.string),
        ])
    }
}

extension Wallet {
    /// The wallet as a row of a table; `object` is as of `json(in:)`.
    func cells(_ object: JSON) -> [String] {
        [
            id.description, chain.rawValue, network.rawValue,
            problem.map { "(\($0))" } ?? address,
            Self.origin(in: object["watch"]?.stringValue ?? ""), Text.escaped(label ?? ""),
        ]
    }

    /// The master key's fingerprint and the path, as the text of a watched key begins with them.
    private static func origin(in watch: String) -> String {
        guard watch.hasPrefix("["), let end = watch.firstIndex(of: "]") else { return "" }
        return String(watch[...end])
    }
}

extension Balance {
    /// The balance as a row of a table.
    func cells(_ withFrozen: Bool) -> [String] {
        let parts = [confirmed, unconfirmed, reserved, held] + (withFrozen ? [frozen] : [])
        let amounts = (parts + [available]).map { minor in
            decimals.map { minor.inCoins(decimals: $0) } ?? "\(minor) units"
        }
        let name = Text.equal(symbol, asset) ? asset : "\(Text.escaped(symbol)) \(asset)"
        return [wallet.description, name] + amounts
    }
}

extension Binding {
    /// The binding for people, with each value on a line.
    var text: TerminalText {
        let head: TerminalText = """
            \(Text.escaped(caller)) was given the \(kind.rawValue) of wallet \(wallet) \
            at \(Timestamp.seconds(time)) by request \(request)
            """
        return ([head] + values.map { "  \($0)" }).joined(separator: "\n")
    }
}

extension HistoryEntry {
    /// The entry on one line for people.
    var line: TerminalText {
        let figure = decimals.map { "\(amount.inCoins(decimals: $0)) \(symbol)" }
            ?? "\(amount) units of \(asset)"
        let cost = fee.flatMap { fee in
            decimals.map { ", of which the fee is \(fee.inCoins(decimals: $0))" }
        }
        let receiver = recipient.map { " to \($0)" } ?? ""
        let origin = request.map { "  (request \($0))" } ?? ""
        let id = transaction.map { "  \($0)" } ?? ""
        let made = blockTime.map { " of \(Timestamp.seconds($0))" } ?? ""
        let block = height.map { ", in block \($0)\(made)" } ?? ""
        let value = worth.map { ", worth \($0) \(worthCurrency ?? "")" } ?? ""
        let what = "\(kind.rawValue) \(figure)\(cost ?? "")\(value)\(receiver)\(block)"
        let label = label.map { "  \"\(Text.escaped($0))\"" } ?? ""
        return "\(Timestamp.seconds(time))  \(what)\(label)\(origin)\(id)"
    }
}
