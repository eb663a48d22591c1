import DaybookEncoding

extension ICONSandbox {
    /// What a test can make the network do wrong.
    package struct Switches: Hashable, Sendable {
        /// The next transaction is refused with this, whatever it is.
        package var refuseNext: ICONRefusal?
        /// The next transaction that is taken is so without its sender hearing of it.
        package var losesNextAnswer = false
        /// Nothing is taken or answered; whoever asks must find that out by waiting.
        package var isSilent = false
        /// Transactions that cannot pay are taken too, and wait for funds or vanish.
        ///
        /// So does a node that runs without `--validate_tx_on_send`.
        package var takesUnpayable = false

        /// A network that does nothing wrong.
        package init() {}
    }

    /// What the network does wrong; part of its rows, and so seen by other processes.
    package var switches: Switches {
        get { rows.value(ICONKey.switches).flatMap { Switches($0) } ?? Switches() }
        set {
            if newValue == Switches() {
                rows.remove(ICONKey.switches)
            } else {
                rows.set(ICONKey.switches, newValue.row)
            }
        }
    }
}

extension ICONSandbox.Switches {
    fileprivate init?(_ row: Bytes) {
        guard let record = try? CBOR.decode(row) else { return nil }
        if let code = record["code"]?.intValue, let message = record["message"]?.textValue {
            refuseNext = ICONRefusal(code: Int(code), message: message)
        }
        losesNextAnswer = record["loses"]?.boolValue ?? false
        isSilent = record["silent"]?.boolValue ?? false
        takesUnpayable = record["unpayable"]?.boolValue ?? false
    }

    fileprivate var row: Bytes {
        CBOR.record([
            "code": refuseNext.map { .int(Int64($0.code)) },
            "message": refuseNext.map { .text($0.message) },
            "loses": .bool(losesNextAnswer), "silent": .bool(isSilent),
            "unpayable": .bool(takesUnpayable),
        ]).encoded()
    }
}
