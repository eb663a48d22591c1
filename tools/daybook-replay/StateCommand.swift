import DaybookCommands
import DaybookDomain
import DaybookEncoding
import DaybookReplay

extension Command {
    static let state = Command(
        "state", "SOURCE", count: 1...1,
        does: "show balances, pending requests and bindings after event N",
        options: [
            Option("--at", "N", "the state after this event"),
            KeptHistory.option,
        ]
    ) { invocation in
        guard let position = try invocation.number("--at") else {
            throw CommandFailure.usage("as of which event? --at N")
        }
        return try await KeptHistory.run(invocation) { folder in
            let source = try Source(invocation.arguments[0])
            _ = try source.record(at: position)
            var notes: [String] = []
            let statement = try source.state(
                through: position, keptUnder: folder, note: { notes.append($0) }, Statement.init)
            for note in notes { try invocation.console.note("daybook-replay: state: \(note)") }
            try invocation.console.result(statement.json(position), statement.text(position))
            return .done
        }
    }
}

/// The parts of a state that an auditor is shown.
private struct Statement {
    let balances: [BalanceLine]
    let pending: [RequestID]
    /// Payments that are signed and not in a block.
    let inFlight: [RequestID]
    let bindings: [BindingLine]
    /// Sessions of unknown engines: the state is what their events say.
    let unjudged: [(session: SessionID, engine: UInt64)]
    let digest: String

    init(_ state: State) {
        balances = state.balanceLines()
        pending = state.pendingRequests()
        inFlight = state.inFlight()
        bindings = state.bindingLines()
        unjudged = state.unknownSessions()
        digest = Hex.encode(StateDigest.of(state))
    }

    func json(_ position: UInt64) -> JSON {
        .record([
            "at": .int(position),
            "balances": .array(balances.map(\.json)),
            "pending": .array(pending.map { .int($0) }),
            "inFlight": .array(inFlight.map { .int($0) }),
            "bindings": .array(bindings.map(\.json)),
            "notJudged": .array(
                unjudged.map {
                    .record(["session": .int($0.session), "engine": .int($0.engine)])
                }),
            "digest": .string(digest),
        ])
    }

    func text(_ position: UInt64) -> TerminalText {
        // Few wallets have frozen coins.
        let frozen = balances.contains { $0.balance.frozen != .zero }
        let head = ["wallet", "asset", "confirmed", "unconfirmed", "reserved", "held"]
            + (frozen ? ["frozen"] : []) + ["available"]
        let lines: [TerminalText?] = [
            "state as of event \(position): \(digest)",
            balances.isEmpty
                ? "no balances"
                : Console.columns(
                    [head] + balances.map { $0.cells(frozen) }, right: [0, 2, 3, 4, 5, 6, 7]),
            pending.isEmpty
                ? "nothing is pending"
                : "pending: \(pending.map { $0.description }.joined(separator: ", "))",
            inFlight.isEmpty
                ? nil
                : "in flight: \(inFlight.map { $0.description }.joined(separator: ", "))",
            bindings.isEmpty ? "no bindings" : bindings.map(\.text).joined(separator: "\n"),
            unjudged.first.map { first -> TerminalText in
                "not judged: this is what the events say; those from \(first.session) on are of "
                    + "\(Engines.known.name(ofUnknown: first.engine)): use the program that "
                    + "wrote the log"
            },
        ]
        return lines.compactMap(\.self).joined(separator: "\n")
    }
}

extension BalanceLine {
    fileprivate var json: JSON {
        .record([
            "wallet": .int(wallet), "asset": .string(asset), "symbol": .string(symbol),
            "decimals": decimals.map { .int($0) },
            "confirmed": .string(balance.confirmed.decimal),
            "unconfirmed": .string(balance.unconfirmed.decimal),
            "reserved": .string(balance.reserved.decimal),
            "held": .string(balance.held.decimal),
            "frozen": .string(balance.frozen.decimal),
            "immature": .string(balance[.confirmedHeld].decimal),
            "available": .string(balance.available.decimal),
        ])
    }

    fileprivate func cells(_ withFrozen: Bool) -> [String] {
        let parts = [balance.confirmed, balance.unconfirmed, balance.reserved, balance.held]
            + (withFrozen ? [balance.frozen] : []) + [balance.available]
        return [wallet.description, asset]
            + parts.map { part in
                decimals.map { DecimalAmount.format(part, decimals: $0) }
                    ?? "\(part.decimal) units"
            }
    }
}

extension BindingLine {
    fileprivate var json: JSON {
        let binding = row.binding
        return .record([
            "request": .int(request), "caller": .string(binding.caller),
            "wallet": .int(binding.wallet), "kind": .string(binding.kind.rawValue),
            "values": .array(binding.values.map(JSON.string)),
            "at": .string(Timestamp.text(row.time)),
        ])
    }

    fileprivate var text: TerminalText {
        let binding = row.binding
        return "\(Text.escaped(binding.caller)) was given the \(binding.kind.rawValue) of wallet "
            + "\(binding.wallet) by request \(request)"
    }
}
