import DaybookCrypto
package import DaybookEncoding

/// A transaction of Dash or Axe.
package struct UTXOTransaction: Hashable, Sendable {
    /// An input: the output it spends, and the script that allows it.
    package struct Input: Hashable, Sendable {
        package var outpoint: Outpoint
        package var script: Bytes
        /// The maximum makes the input final; otherwise the lock time applies.
        package var sequence: UInt32

        /// An input, final unless a sequence is given.
        package init(_ outpoint: Outpoint, script: Bytes = [], sequence: UInt32 = UInt32.max) {
            self.outpoint = outpoint
            self.script = script
            self.sequence = sequence
        }
    }

    /// An output: an amount and the script that it is paid to.
    package struct Output: Hashable, Sendable {
        /// Duffs; a parsed amount may be above `Duffs.maximum` or stand for a negative number.
        package var amount: UInt64
        package var script: Bytes

        package init(amount: UInt64, script: Bytes) {
            self.amount = amount
            self.script = script
        }

        /// The number of bytes of the serialized output.
        package var size: Int { 8 + CompactSize.size(of: script.count) + script.count }
    }

    /// The version of the format; 3 for special transactions.
    package var version: Int16
    /// The type of a special transaction (DIP 2); 0 for an ordinary one.
    package var type: UInt16
    package var inputs: [Input]
    package var outputs: [Output]
    /// The height or time before which no block may contain it, unless all inputs are final.
    package var lockTime: UInt32
    /// The payload of a special transaction; empty for an ordinary one.
    package var extraPayload: Bytes

    /// An ordinary transaction unless a type is given.
    package init(
        version: Int16 = 2, type: UInt16 = 0, inputs: [Input], outputs: [Output],
        lockTime: UInt32 = 0, extraPayload: Bytes = []
    ) {
        self.version = version
        self.type = type
        self.inputs = inputs
        self.outputs = outputs
        self.lockTime = lockTime
        self.extraPayload = extraPayload
    }

    /// Parses a transaction, which must use all of the bytes; `serialized()` returns them again.
    package static func parse(_ bytes: Bytes) throws(TransactionError) -> UTXOTransaction {
        var reader = TransactionReader(bytes)
        let version = Int16(truncatingIfNeeded: try reader.number(bytes: 2))
        let type = UInt16(truncatingIfNeeded: try reader.number(bytes: 2))
        // The shortest input has 41 bytes, the shortest output 9.
        let inputs = try reader.list(leastItem: 41) { reader throws(TransactionError) in
            Input(
                Outpoint(try reader.transactionID(), try reader.number32()),
                script: try reader.data(), sequence: try reader.number32())
        }
        let outputs = try reader.list(leastItem: 9) { reader throws(TransactionError) in
            Output(amount: try reader.number(bytes: 8), script: try reader.data())
        }
        let lockTime = try reader.number32()
        let extraPayload = Self.hasPayload(version, type) ? try reader.data() : []
        try reader.end()
        return UTXOTransaction(
            version: version, type: type, inputs: inputs, outputs: outputs, lockTime: lockTime,
            extraPayload: extraPayload)
    }

    /// The serialized transaction, whose hash is the id.
    package func serialized() -> Bytes {
        var bytes = Bytes()
        // A payment's transaction is serialized a dozen times, so it should not grow on the way.
        bytes.reserveCapacity(atMostBytes)
        bytes.append(littleEndian: UInt16(bitPattern: version))
        bytes.append(littleEndian: type)
        CompactSize.append(inputs.count, to: &bytes)
        for input in inputs {
            bytes += input.outpoint.txid.bytes
            bytes.append(littleEndian: input.outpoint.index)
            CompactSize.append(input.script.count, to: &bytes)
            bytes += input.script
            bytes.append(littleEndian: input.sequence)
        }
        CompactSize.append(outputs.count, to: &bytes)
        for output in outputs {
            bytes.append(littleEndian: output.amount)
            CompactSize.append(output.script.count, to: &bytes)
            bytes += output.script
        }
        bytes.append(littleEndian: lockTime)
        if Self.hasPayload(version, type) {
            CompactSize.append(extraPayload.count, to: &bytes)
            bytes += extraPayload
        }
        return bytes
    }

    /// A number of bytes that the serialized transaction does not exceed.
    private var atMostBytes: Int {
        let count = CompactSize.maximumSize
        let fixed = 8 + 3 * count + extraPayload.count
        let spent = inputs.reduce(0) { $0 + 40 + count + $1.script.count }
        return fixed + outputs.reduce(spent) { $0 + 8 + count + $1.script.count }
    }

    /// The transaction's id; it depends on the signatures, but for an asset unlock of version 2.
    package var txid: TransactionID { txid(ofSerialized: serialized()) }

    /// The id, for a caller who has the serialized transaction at hand.
    private func txid(ofSerialized bytes: Bytes) -> TransactionID {
        guard isResignable else { return TransactionID(hashing: bytes) }
        let kept = bytes.dropLast(Self.unlockSigningBytes)
        return TransactionID(
            hashing: kept + Bytes(repeating: 0, count: Self.unlockSigningBytes))
    }

    /// Parses a transaction if its id is this one; nil if it has another id.
    ///
    /// This is the only way to recognise a transaction by its id: not each id is the hash of the
    /// bytes.
    package static func parse(
        _ bytes: Bytes, ifIDIs txid: TransactionID
    ) throws(TransactionError) -> UTXOTransaction? {
        let transaction = try parse(bytes)
        return transaction.txid(ofSerialized: bytes) == txid ? transaction : nil
    }

    /// Whether this is a coinbase transaction, which pays the miner.
    package var isCoinbase: Bool { inputs.count == 1 && inputs[0].outpoint == .null }

    /// The digest that the owner of an input signs, over all inputs and outputs (SIGHASH_ALL).
    ///
    /// - Parameter scriptCode: the script of the output that the input spends.
    package func signatureDigest(input index: Int, scriptCode: Bytes) -> Bytes {
        precondition(inputs.indices.contains(index), "callers walk this transaction's inputs")
        var copy = self
        for other in copy.inputs.indices {
            copy.inputs[other].script = other == index ? scriptCode : []
        }
        var bytes = copy.serialized()
        bytes.append(littleEndian: UInt32(Self.signatureHashAll))
        return SHA256.double(bytes)
    }

    /// The last byte of a signature that binds all inputs and all outputs.
    package static let signatureHashAll: UInt8 = 1

    private static func hasPayload(_ version: Int16, _ type: UInt16) -> Bool {
        version >= 3 && type != 0
    }
}

/// Asset unlocks (DIP 27), whose payload of version 2 can be signed again under the same id.
extension UTXOTransaction {
    private static let assetUnlock: UInt16 = 9
    /// Version (1 byte), index (8), fee (4), then `unlockSigningBytes`.
    private static let unlockPayloadBytes = 145
    /// The end of the payload, which the id leaves out as zeros: the requested height (4 bytes),
    /// the quorum's hash (32) and its signature (96).
    private static let unlockSigningBytes = 132

    /// Whether this is an asset unlock of version 2.
    private var isResignable: Bool {
        Self.hasPayload(version, type) && type == Self.assetUnlock && extraPayload.first == 2
            && extraPayload.count == Self.unlockPayloadBytes
    }
}

/// Why bytes can't be parsed as a transaction, and the offset of the error.
package struct TransactionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    package enum Reason: String, Hashable, Sendable {
        case endsEarly = "the bytes end inside the transaction"
        case trailingBytes = "bytes follow the transaction"
        case longCount = "a count is not written in its shortest form"
        case absurdCount = "a count is larger than the bytes that are left"
    }

    package let reason: Reason
    /// Bytes from the start.
    package let offset: Int

    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The reason in words, and the offset.
    package var description: String { "\(reason.rawValue) (offset \(offset))" }
}
