package import DaybookEncoding

/// A transaction without its step limit, which is estimated first.
package struct ICONDraft: Equatable, Sendable {
    /// What a transaction carries besides ICX.
    package enum Payload: Equatable, Sendable {
        case nothing
        /// Bytes for whoever reads the chain; there must be one at least.
        case message(Bytes)
        /// A method of a contract, with its parameters.
        case call(method: String, parameters: [JSON.Member])
    }

    /// Who pays and signs.
    package var from: ICONAddress
    /// Who is paid, or the contract that is called.
    package var to: ICONAddress
    /// The loop to move; nil leaves the field out.
    package var value: UInt256?
    /// What it carries.
    package var payload: Payload
    /// Microseconds since 1970.
    package var timestamp: UInt64
    /// The network that it is for.
    package var nid: UInt64
    /// Tells transactions apart that are the same otherwise; nil leaves the field out.
    package var nonce: UInt256?

    /// A draft of its parts.
    package init(
        from: ICONAddress, to: ICONAddress, value: UInt256?, payload: Payload = .nothing,
        timestamp: UInt64, nid: UInt64, nonce: UInt256? = nil
    ) {
        self.from = from
        self.to = to
        self.value = value
        self.payload = payload
        self.timestamp = timestamp
        self.nid = nid
        self.nonce = nonce
    }

    /// The transfer of an IRC-2 token: a call of its contract that moves no ICX.
    package static func tokenTransfer(
        _ transfer: IRC2.Transfer, of token: ICONAddress, timestamp: UInt64, nid: UInt64,
        nonce: UInt256? = nil
    ) -> ICONDraft {
        let call = Payload.call(method: "transfer", parameters: transfer.parameters)
        return ICONDraft(
            from: transfer.from, to: token, value: nil, payload: call, timestamp: timestamp,
            nid: nid, nonce: nonce)
    }

    /// The params as `debug_estimateStep` takes them.
    package var params: JSON { params(stepLimit: nil) }

    /// The transaction with a step limit; throws where a part has no place in one.
    package func transaction(stepLimit: UInt256) throws(ICONFieldError) -> ICONTransaction {
        try ICONTransaction(params: params(stepLimit: stepLimit))
    }

    /// The params with a step limit, where it is known.
    package func params(stepLimit: UInt256?) -> JSON {
        .record([
            "version": .string("0x3"),
            "from": .string(from.text),
            "to": .string(to.text),
            "value": value.map { .string(ICONInteger.text($0)) },
            "stepLimit": stepLimit.map { .string(ICONInteger.text($0)) },
            "timestamp": .string(ICONInteger.text(timestamp)),
            "nid": .string(ICONInteger.text(nid)),
            "nonce": nonce.map { .string(ICONInteger.text($0)) },
            "dataType": payload.type.map { .string($0.rawValue) },
            "data": payload.data,
        ])
    }
}

extension ICONDraft.Payload {
    fileprivate var type: ICONDataType? {
        switch self {
        case .nothing: nil
        case .message: .message
        case .call: .call
        }
    }

    fileprivate var data: JSON? {
        switch self {
        case .nothing: nil
        case .message(let bytes): .string("0x" + Hex.encode(bytes))
        case .call(let method, let parameters):
            .record([
                "method": .string(method),
                "params": parameters.isEmpty ? nil : .object(parameters),
            ])
        }
    }
}
