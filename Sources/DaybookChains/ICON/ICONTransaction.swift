import DaybookCrypto
package import DaybookEncoding

/// A transaction that fits a node's rules, ready to be signed: its params, text and hash.
package struct ICONTransaction: Equatable, Sendable {
    /// The params without a signature, in the order in which they came.
    package let params: JSON
    /// The text that is hashed.
    package let serialized: String
    /// The SHA3-256 of the text: what is signed, and what the transaction is called by.
    package let hash: Bytes
    /// Whose key must sign, and who pays.
    package let from: ICONAddress
    /// Where the value goes, or the contract that is called.
    package let to: ICONAddress
    /// The loop to move; zero where the field is absent.
    package let value: UInt256
    /// The most steps that may be charged for.
    package let stepLimit: UInt256
    /// When it was made, in microseconds since 1970; nodes refuse what is minutes off.
    package let timestamp: UInt64
    /// The network that it is valid on.
    package let nid: UInt64

    /// A transaction from params, with or without a signature, which is left out.
    ///
    /// Throws the fault that a node would name, beyond which numbers must fit their types and the
    /// version must be 3.
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
                key: "data", problem: .malformed, rule: error.found.rawValue, place: error.path)
        }
        hash = SHA3_256.hash(Bytes(serialized.utf8))
    }

    /// The hash as nodes write it.
    package var hashText: String { "0x" + Hex.encode(hash) }

    /// The params with a signature: what `icx_sendTransaction` takes.
    package func signed(by signature: ICONSignature) -> JSON {
        let member = JSON.Member(name: "signature", value: .string(signature.base64))
        return .object((params.objectValue ?? []) + [member])
    }

    /// Whether a signature has a low s and recovers to the sender.
    package func isSigned(by signature: ICONSignature) -> Bool {
        signature.isLowS && signature.signer(of: hash) == from
    }

    /// The bytes of `data` that steps are charged for.
    package var dataSize: Int { ICONSteps.dataSize(of: params) }
}

extension ICONTransaction {
    /// Reads fields that `ICONFields` has found well-formed.
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
