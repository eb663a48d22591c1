package import DaybookCrypto
package import DaybookEncoding

/// A valid transaction, ready to be signed: its params, serialization and hash.
package struct ICONTransaction: Equatable, Sendable {
    /// The params without the signature, in their original order.
    package let params: JSON
    /// The serialization that is hashed.
    package let serialized: String
    /// The SHA3-256 of the serialization: the digest to sign, and the id of the transaction.
    package let hash: Bytes
    /// The account that signs and pays.
    package let from: ICONAddress
    /// The recipient, or the contract that is called.
    package let to: ICONAddress
    /// Loop; zero if the field is absent.
    package let value: UInt256
    package let stepLimit: UInt256
    /// Microseconds since 1970; nodes refuse a time that is minutes off.
    package let timestamp: UInt64
    /// The id of the network that it is valid on.
    package let nid: UInt64

    /// Validates params; a signature is removed.
    ///
    /// Throws the error that a node would report. In addition numbers must fit their types, and
    /// the version must be 3.
    package init(params: JSON) throws(ICONFieldError) {
        guard case .object(let members) = params else {
            throw ICONFieldError(key: "params", problem: .malformed, rule: "object")
        }
        let unsigned = JSON.object(members.filter { !Text.equal($0.name, "signature") })
        try ICONFields.check(unsigned, as: .unsigned)
        let fields = FieldReader(params: unsigned)
        guard unsigned["version"]?.stringValue == "0x3" else { throw fields.malformed("version") }
        from = try fields.address("from")
        to = try fields.address("to")
        value = unsigned["value"] == nil ? .zero : try fields.number("value")
        stepLimit = try fields.number("stepLimit")
        timestamp = try fields.small("timestamp")
        nid = try fields.small("nid")
        self.params = unsigned
        do {
            serialized = try ICONSerialization.text(of: unsigned)
        } catch {
            throw ICONFieldError(
                key: "data", problem: .malformed, rule: error.found.rawValue, path: error.path)
        }
        hash = SHA3_256.hash(Bytes(serialized.utf8))
    }

    /// The hash with `0x`, as nodes write it.
    package var hashText: String { "0x" + Hex.encode(hash) }

    /// The params with a signature, for `icx_sendTransaction`.
    package func signed(by signature: ICONSignature) -> JSON {
        let member = JSON.Member(name: "signature", value: .string(signature.base64))
        return .object((params.objectValue ?? []) + [member])
    }

    /// Whether a signature has a low s and is the sender's.
    package func isSigned(by signature: ICONSignature) -> Bool {
        signature.isLowS && signature.signer(of: hash) == from
    }

    /// The size of `data` that steps are charged for, in bytes.
    package var dataSize: Int { ICONSteps.dataSize(of: params) }
}

extension ICONTransaction {
    /// Reads fields that `ICONFields` has validated.
    private struct FieldReader {
        let params: JSON

        func address(_ key: String) throws(ICONFieldError) -> ICONAddress {
            guard let text = params[key]?.stringValue, let address = ICONAddress(text)
            else { throw malformed(key) }
            return address
        }

        func number(_ key: String) throws(ICONFieldError) -> UInt256 {
            guard let text = params[key]?.stringValue, let number = ICONInteger.parse(text)
            else { throw malformed(key) }
            return number
        }

        func small(_ key: String) throws(ICONFieldError) -> UInt64 {
            guard let text = params[key]?.stringValue, let number = ICONInteger.parseSmall(text)
            else { throw malformed(key) }
            return number
        }

        func malformed(_ key: String) -> ICONFieldError {
            ICONFieldError(key: key, problem: .malformed, rule: "t_int")
        }
    }
}

/// A transaction whose step limit is not known yet.
package struct ICONDraft: Equatable, Sendable {
    /// The `data` of a transaction.
    package enum Payload: Equatable, Sendable {
        case nothing
        /// At least one byte.
        case message(Bytes)
        /// A method of a contract, with its parameters.
        case call(method: String, parameters: [JSON.Member])
    }

    /// The account that signs and pays.
    package var from: ICONAddress
    /// The recipient, or the contract that is called.
    package var to: ICONAddress
    /// Loop; nil omits the field.
    package var value: UInt256?
    package var payload: Payload
    /// Microseconds since 1970.
    package var timestamp: UInt64
    /// The id of the network.
    package var nid: UInt64
    /// Distinguishes otherwise equal transactions; nil omits the field.
    package var nonce: UInt256?

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

    /// The transfer of an IRC-2 token, which is a call of its contract without ICX.
    package static func tokenTransfer(
        _ transfer: IRC2.Transfer, of token: ICONAddress, timestamp: UInt64, nid: UInt64,
        nonce: UInt256? = nil
    ) -> ICONDraft {
        let call = Payload.call(method: "transfer", parameters: transfer.parameters)
        return ICONDraft(
            from: transfer.from, to: token, value: nil, payload: call, timestamp: timestamp,
            nid: nid, nonce: nonce)
    }

    /// The params for `debug_estimateStep`.
    package var params: JSON { params(stepLimit: nil) }

    /// The transaction with a step limit; throws if a field is invalid.
    package func transaction(stepLimit: UInt256) throws(ICONFieldError) -> ICONTransaction {
        try ICONTransaction(params: params(stepLimit: stepLimit))
    }

    /// The params, with a step limit if there is one.
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

/// A transaction's signature: r, s and the recovery id in 65 bytes, written in base64.
package struct ICONSignature: Hashable, Sendable {
    package let signature: RecoverableSignature

    package init(_ signature: RecoverableSignature) {
        self.signature = signature
    }

    /// Parses a signature in base64; nil if it is malformed or its numbers are out of range.
    package init?(base64 text: String) {
        guard let bytes = Base64.decode(Bytes(text.utf8)),
            let signature = RecoverableSignature(bytes)
        else { return nil }
        self.signature = signature
    }

    /// The signature in base64, 88 characters.
    package var base64: String { Base64.encode(signature.bytes) }

    /// Whether s is in the lower half, as in every signature that Daybook makes.
    ///
    /// Nodes accept a high s with the matching recovery id too. The transaction's hash does not
    /// cover the signature, so both are the same transaction.
    package var isLowS: Bool { signature.signature?.isLowS ?? false }

    /// The account whose key made this signature of a hash; nil if no key did.
    package func signer(of hash: Bytes) -> ICONAddress? {
        signature.recover(digest: hash).map { ICONAddress($0) }
    }

    /// Whether a text is base64 by the node's rule.
    package static func isBase64(_ text: String) -> Bool {
        let bytes = Bytes(text.utf8)
        guard !bytes.isEmpty, bytes.count % 4 == 0 else { return false }
        let padding = bytes.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        return padding <= 2 && bytes.dropLast(padding).allSatisfy(isBase64Character)
    }

    private static func isBase64Character(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            true
        default: false
        }
    }
}
