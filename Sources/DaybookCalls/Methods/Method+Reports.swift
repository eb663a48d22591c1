import Daybook
import DaybookCommands
import DaybookEncoding

extension Method {
    static let info = Method(
        "info", does: "names the log, the store's folder, the version and the number of events"
    ) { call in
        let info = try await call.store.info()
        return .record([
            "log": .string(info.log), "home": .string(call.front.home),
            "version": .string(Program.version), "engine": .int(info.engine),
            "events": .int(info.events),
        ])
    }

    static let balanceList = Method(
        "balance.list", [.optional("wallet", .wallet), .optional("at", .number)],
        does: "gives the balances by wallet and asset, now or as of an event"
    ) { call in
        let wallet = try await call.arguments.wallet("wallet", in: call.store)
        let position: Position? = call.arguments.id("at")
        let balances =
            if let position {
                try await call.store.balances(wallet: wallet?.id, at: position)
            } else {
                try await call.store.balances(wallet: wallet?.id)
            }
        let outages = position == nil ? try await call.store.outages() : []
        return .record([
            "balances": .array(balances.map(\.json)),
            "outages": outages.isEmpty ? nil : .array(outages.map(\.json)),
        ])
    }

    static let bindingList = Method(
        "binding.list", does: "lists the addresses and keys that callers were given"
    ) { call in
        .record(["bindings": .array(try await call.store.bindings().map(\.json))])
    }

    static let historyList = Method(
        "history.list",
        [Parameter("wallet", .wallet), .optional("before", .number), .optional("limit", .number)],
        does: "lists what transactions changed in a wallet's balances, newest first"
    ) { call in
        let wallet = try await call.arguments.wallet(required: "wallet", in: call.store)
        let page = try await call.store.history(
            of: wallet.id, before: call.arguments.number("before"),
            limit: try call.arguments.pageSize())
        return .record([
            "entries": .array(page.entries.map(\.json)),
            "next": page.next.map { .int($0) },
        ])
    }

    static let logRead = Method(
        "log.read", [Parameter("from", .number), .optional("limit", .number)],
        does: "reads events from a position on, lossless"
    ) { call in
        let from: Position = try call.arguments.id(required: "from")
        let limit = try call.arguments.pageSize()
        let events = try await call.store.events(from: from, limit: limit)
        return .record([
            "events": .array(try events.map { try $0.json }),
            "next": .int(events.last?.position.next ?? from),
        ])
    }

    static let logCheckpoint = Method(
        "log.checkpoint", [.optional("newKey", .flag)],
        does: "signs the log's size and root"
    ) { call in
        try await call.store.checkpoint(withNewKey: call.arguments.flag("newKey")).json
    }

    static let logVerify = Method(
        "log.verify", [.optional("checkpoint", .text)],
        does: "reads the whole log and compares everything with its events"
    ) { call in
        let progress = call.progress
        let found = try await call.store.verify(against: call.arguments.text("checkpoint")) {
            table, entries in
            progress?(.record(["table": .string(table), "entries": .int(entries)]))
        }
        return found.json
    }
}
