import DaybookCommands
import DaybookDomain
import DaybookEncoding
import DaybookProjections
import DaybookReplay

extension Command {
    static let state = Command(
        "state", "SOURCE", count: 1...1, does: "balances, pending requests and bindings at event N",
        options: [Option("--at", "N", "as of this event")]
    ) { invocation in
        guard let position = try invocation.number("--at") else {
            throw CommandFailure.usage("as of which event? --at N")
        }
        let source = try Source(invocation.arguments[0])
        _ = try source.record(at: position)
        var state = State(MemoryRows())
        try source.each(through: position) { record in
            if let event = try Recording.event(record) { state.evolve(event) }
        }
        let digest = Hex.encode(StateDigest.of(state))
        try invocation.console.result(
            .record([
                "at": .int(position),
                "balances": .array(state.balanceLines().map(\.json)),
                "pending": .array(state.pendingRequests().map { .int($0) }),
                "bindings": .array(state.bindingLines().map(\.json)),
                "digest": .string(digest),
            ]),
            text(state, position, digest))
        return .done
    }

    private static func text(_ state: State, _ position: UInt64, _ digest: String) -> String {
        let head = ["wallet", "asset", "confirmed", "unconfirmed", "reserved", "available"]
        let balances = state.balanceLines()
        let pending = state.pendingRequests()
        let bindings = state.bindingLines()
        return [
            "state as of event \(position): \(digest)",
            balances.isEmpty
                ? "no balances"
                : Console.columns([head] + balances.map(\.cells), right: [0, 2, 3, 4, 5]),
            pending.isEmpty
                ? "nothing is pending"
                : "pending: " + pending.map { String($0) }.joined(separator: ", "),
            bindings.isEmpty ? "no bindings" : bindings.map(\.text).joined(separator: "\n"),
        ].joined(separator: "\n")
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
            "available": .string(balance.available.decimal),
        ])
    }

    fileprivate var cells: [String] {
        let parts = [
            balance.confirmed, balance.unconfirmed, balance.reserved, balance.available,
        ]
        return [String(wallet), asset]
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

    fileprivate var text: String {
        let binding = row.binding
        return "\(Text.escaped(binding.caller)) was given the \(binding.kind.rawValue) of wallet "
            + "\(binding.wallet) by request \(request)"
    }
}
