import Daybook
import DaybookCommands
import DaybookEncoding

extension Method {
    static let info = Method(
        "info", does: "name the log, the store's folder, the version and the number of events",
        gives: ResultType(
            "Info",
            [
                .init("log", .text), .init("home", .text), .init("version", .text),
                .init("engine", .number), .init("events", .number),
            ])
    ) { call in
        let info = try await call.store.info()
        return MethodAnswer(
            .record([
                "log": .string(info.log), "home": .string(call.front.home),
                "version": .string(Program.version), "engine": .int(info.engine),
                "events": .int(info.events),
            ]))
    }

    package static let balanceList = Method(
        "balance.list",
        [
            .optional("wallet", .wallet, at: "--wallet W", "of this wallet only, by id or label"),
            .optional("at", .number, at: "--at N", "as of event N"),
        ], command: "balance",
        does: """
            show the wallets' balances
            Confirmed plus unconfirmed equals reserved plus held plus frozen plus available. Held
            are immature block rewards, and unconfirmed payments of others.
            """,
        gives: .list(
            "Balances", "balances", of: Balance.resultType,
            .optional("outages", .list(.object(ChainOutage.resultType)))),
        note: "now or as of an event; `outages` are the chains that cannot be read now"
    ) { call in
        let position: Position? = call.arguments.id("at")
        let wallet = try await call.arguments.wallet("wallet", in: call.store)
        let balances =
            if let position {
                try await call.store.balances(
                    wallet: wallet?.id, at: position, history: call.door.history,
                    progress: call.workProgress("balances"))
            } else {
                try await call.store.balances(wallet: wallet?.id)
            }
        // Today's amounts may be others than those of chains that can't be read now.
        let outages = position == nil ? try await call.store.outages() : []
        let other = JSON.Member(name: "outages", value: .array(outages.map(\.json)))
        var answer = MethodAnswer(
            "balances", balances.map(\.json), with: outages.isEmpty ? nil : other
        ) {
            // Few wallets have frozen coins.
            let frozen = balances.contains { $0.frozen != 0 }
            let head = ["wallet", "asset", "confirmed", "unconfirmed", "reserved", "held"]
                + (frozen ? ["frozen"] : []) + ["available"]
            return Console.columns(
                [head] + balances.map { $0.cells(frozen) }, right: [0, 2, 3, 4, 5, 6, 7])
        }
        answer.notes = outages.map { "\(Text.escaped($0.sentence))" }
        return answer
    }

    static let bindingList = Method(
        "binding.list", command: "bindings",
        does: "list the addresses and keys that callers were given",
        gives: .list("Bindings", "bindings", of: Binding.resultType)
    ) { call in
        try MethodAnswer(
            "bindings", try await call.store.bindings(), empty: "nobody was given anything yet",
            json: \.json, text: \.text)
    }

    static let historyList = Method(
        "history.list",
        [
            .wallet,
            .optional(
                "before", .number, at: "--before N",
                "only entries before entry N, for the next page"),
            .limit("entries"), .statuses,
        ] + Parameter.filters + [
            .optional(
                "currency", .text, at: "--currency C",
                "say what amounts were worth in C; else in one that has a price")
        ], command: "history",
        does: """
            list what transactions changed in wallet W's balances, newest first
            W is an id or a label. Each line is one transaction and asset: what the wallet got or
            gave, with the fee. All amounts of an asset add up to its balance. A condition is met
            by the entry or by the request that made its transaction; they are combined.
            """,
        gives: .list(
            "History", "entries", of: HistoryEntry.resultType, .optional("next", .number)),
        note: """
            [entries](COMMANDS.md#an-entry-of-a-history), newest first; only those that meet all \
            [conditions](COMMANDS.md#searching)
            """, pages: "before"
    ) { call in
        let wallet = try await call.arguments.wallet(required: "wallet", in: call.store)
        let page = try await call.store.history(
            of: wallet.id, matching: try call.arguments.filter(),
            before: call.arguments.number("before"), limit: try call.arguments.pageSize(),
            in: call.arguments.text("currency"))
        return try MethodAnswer(
            "entries", page.entries, next: page.next.map { .int($0) },
            empty: call.arguments.isFiltered ? "nothing that moved is like that" : "nothing yet",
            json: \.json, text: \.line)
    }

    static let logRead = Method(
        "log.read", [Parameter("from", .number), .optional("limit", .number)],
        does: "read events from a position on, lossless",
        gives: .list("Events", "events", of: LogEvent.resultType, .init("next", .number)),
        note: "lossless; `next` is the `from` of the next page, also after the last event",
        pages: "from"
    ) { call in
        let from: Position = try call.arguments.id(required: "from")
        let limit = try call.arguments.pageSize()
        let events = try await call.store.events(from: from, limit: limit)
        return try MethodAnswer(
            "events", events, next: .int(events.last?.position.next ?? from),
            json: { try $0.json }, text: { try $0.text })
    }

    static let logCheckpoint = Method(
        "log.checkpoint",
        [
            .optional(
                "newKey", .flag, at: "--new-key", "sign with a new key if log.key is lost or new")
        ], command: "checkpoint",
        does: """
            sign the log's size and root, and print the signed note
            Keep the note outside the store: `verify --checkpoint F` compares the store with it.
            Witnesses that were added cosign it; one that fails is said, and the checkpoint stands.
            """, gives: LogCheckpoint.resultType,
        note: "`problems` are those of witnesses that failed", changes: true
    ) { call in
        let made = try await call.store.checkpoint(withNewKey: call.arguments.flag("newKey"))
        // The note ends with a line break and must not be changed, because it is signed.
        var answer = MethodAnswer(made.json) { TerminalText(lines: String(made.note.dropLast())) }
        answer.remarks = ["key: \(made.key)"]
        answer.notes = made.problems.map { TerminalText(lines: Text.onOneLine("\($0)")) }
        return answer
    }

    static let logTimestamp = Method(
        "log.timestamp",
        [
            Parameter("tsa", .text, at: "--tsa URL", "the time stamp authority"),
            .optional(
                "certificates", .text, at: "--certificates PEM",
                "the stamp must lead to a certificate in this file"),
        ], command: "timestamp",
        does: """
            have an authority stamp the last checkpoint with its time, and record the stamp
            The stamp (RFC 3161) is of the SHA-256 of the checkpoint's note. Without --certificates
            nobody has verified its signature yet: `daybook-replay verify --tsa-certificates` does.
            """, gives: CheckpointStamp.resultType, changes: true
    ) { call in
        let stamp = try await call.store.timestamp(
            by: call.arguments.text("tsa") ?? "", certificates: call.arguments.text("certificates"))
        var answer = MethodAnswer(stamp.json) { stamp.text }
        if stamp.authority == nil {
            answer.notes = ["the stamp's signature was not checked: no certificates were given"]
        }
        return answer
    }

    static let logVerify = Method(
        "log.verify", [.optional("checkpoint", .text)], command: "verify",
        does: "read the whole log and compare everything with its events",
        gives: StoreVerification.resultType
    ) { call in
        let progress = call.progress
        let found = try await call.store.verify(against: call.arguments.text("checkpoint")) {
            progress?(.verifying(table: $0, entries: $1))
        }
        return MethodAnswer(found.json)
    }
}

extension CheckpointStamp {
    fileprivate var text: TerminalText {
        let by = authority.map { " by \($0)" } ?? ""
        return "the first \(checkpoint) events are stamped\(by), at \(Timestamp.readable(time))\n"
            + "root \(root)"
    }
}
