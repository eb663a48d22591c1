import DaybookEncoding

extension UTXOSandbox {
    /// What a test can make the chain do wrong.
    package struct Switches: Hashable, Sendable {
        /// The next transaction is refused with this, whatever it is.
        package var refuseNext: UTXORefusal?
        /// The next transaction that is accepted is so without its sender hearing of it.
        package var losesNextAnswer = false
        /// Nothing is taken or answered; whoever asks must find that out by waiting.
        package var isSilent = false
        /// InstantSend locks nothing.
        package var withholdsLocks = false

        /// A chain that does nothing wrong.
        package init() {}
    }

    /// What the chain does wrong; part of its rows, and so seen by other processes.
    package var switches: Switches {
        get { rows.value(keys.switches).flatMap { Switches(row: $0) } ?? Switches() }
        set {
            if newValue == Switches() {
                rows.remove(keys.switches)
            } else {
                rows.set(keys.switches, newValue.row)
            }
        }
    }
}

extension UTXOSandbox {
    /// Forgets the transactions that wait for a block, as a node can that starts anew.
    package mutating func forgetMempool() {
        // What depends on another came after it.
        for txid in mempool.reversed() {
            if let entry = entry(txid) { remove(entry, txid) }
        }
    }
}

extension UTXOSandbox.Switches {
    fileprivate init?(row: Bytes) {
        guard let record = try? CBOR.decode(row) else { return nil }
        if let code = record["code"]?.intValue, let message = record["message"]?.textValue {
            refuseNext = UTXORefusal(code: Int(code), message: message)
        }
        losesNextAnswer = record["loses"]?.boolValue ?? false
        isSilent = record["silent"]?.boolValue ?? false
        withholdsLocks = record["unlocked"]?.boolValue ?? false
    }

    fileprivate var row: Bytes {
        CBOR.record([
            "code": refuseNext.map { .int(Int64($0.code)) },
            "message": refuseNext.map { .text($0.message) },
            "loses": .bool(losesNextAnswer), "silent": .bool(isSilent),
            "unlocked": .bool(withholdsLocks),
        ]).encoded()
    }
}
