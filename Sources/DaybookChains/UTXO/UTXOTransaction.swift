import DaybookCrypto
package import DaybookEncoding

/// A transaction of Dash or Axe, as it travels and as it is hashed.
package struct UTXOTransaction: Hashable, Sendable {
    /// What a transaction spends.
    package struct Input: Hashable, Sendable {
        /// The output that is spent.
        package var outpoint: Outpoint
        /// What makes the input valid.
        package var script: Bytes
        /// Below its maximum, the lock time is heeded.
        package var sequence: UInt32

        /// An input, final unless a sequence is given.
        package init(_ outpoint: Outpoint, script: Bytes = [], sequence: UInt32 = UInt32.max) {
            self.outpoint = outpoint
            self.script = script
            self.sequence = sequence
        }
    }

    /// What a transaction pays.
    package struct Output: Hashable, Sendable {
        /// Duffs; what was parsed may be above `Duffs.maximum`, and stand for a negative number.
        package var amount: UInt64
        /// Who may spend it.
        package var script: Bytes

        /// An output that pays an amount to a script.
        package init(amount: UInt64, script: Bytes) {
            self.amount = amount
            self.script = script
        }

        /// The bytes that the output takes in a transaction.
        package var size: Int { 8 + CompactSize.size(of: script.count) + script.count }
    }

    /// What format this is; 3 for special transactions.
    package var version: Int16
    /// What kind of special transaction this is (DIP 2); 0 is an ordinary one.
    package var type: UInt16
    /// What is spent.
    package var inputs: [Input]
    /// What is paid.
    package var outputs: [Output]
    /// The height or time before which no block takes it, if an input says so.
    package var lockTime: UInt32
    /// What a special transaction carries; always empty in an ordinary one.
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

    /// Reads a transaction that takes all of the bytes; `serialized()` gives the same ones back.
    package static func parse(_ bytes: Bytes) throws(TransactionError) -> UTXOTransaction {
        var reader = TransactionReader(bytes)
        let version = Int16(truncatingIfNeeded: try reader.number(bytes: 2))
        let type = UInt16(truncatingIfNeeded: try reader.number(bytes: 2))
        // The least input takes 41 bytes, the least output 9: no more fit, so no more are read.
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

    /// The bytes that travel and that the id is a hash of.
    package func serialized() -> Bytes {
        var bytes = Bytes()
        bytes.append(littleEndian: UInt16(bitPattern: version))
        bytes.append(littleEndian: type)
        bytes += CompactSize.encode(inputs.count)
        for input in inputs {
            bytes += input.outpoint.txid.bytes
            bytes.append(littleEndian: input.outpoint.index)
            bytes += CompactSize.encode(input.script.count)
            bytes += input.script
            bytes.append(littleEndian: input.sequence)
        }
        bytes += CompactSize.encode(outputs.count)
        for output in outputs {
            bytes.append(littleEndian: output.amount)
            bytes += CompactSize.encode(output.script.count)
            bytes += output.script
        }
        bytes.append(littleEndian: lockTime)
        if Self.hasPayload(version, type) {
            bytes += CompactSize.encode(extraPayload.count)
            bytes += extraPayload
        }
        return bytes
    }

    /// The transaction's id, its signatures included.
    package var txid: TransactionID { TransactionID(hashing: serialized()) }

    /// Whether this is the transaction that pays a miner.
    package var isCoinbase: Bool { inputs.count == 1 && inputs[0].outpoint == .null }

    /// What the owner of an input signs: all inputs and all outputs (SIGHASH_ALL).
    ///
    /// - Parameter scriptCode: the script of the output that the input spends.
    package func signatureDigest(input index: Int, scriptCode: Bytes) -> Bytes {
        precondition(inputs.indices.contains(index), "callers walk this transaction's inputs")
        var copy = self
        for place in copy.inputs.indices {
            copy.inputs[place].script = place == index ? scriptCode : []
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

/// Why bytes are not a transaction, and where they cease to be one.
package struct TransactionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    package enum Reason: String, Hashable, Sendable {
        case endsEarly = "the bytes end inside the transaction"
        case trailingBytes = "bytes follow the transaction"
        case longCount = "a count is not written in its shortest form"
        case absurdCount = "a count is larger than the bytes that are left"
    }

    /// What is wrong.
    package let reason: Reason
    /// Where, in bytes from the start.
    package let offset: Int

    /// An error at an offset.
    package init(_ reason: Reason, at offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// The reason in words, and the place.
    package var description: String { "\(reason.rawValue) (offset \(offset))" }
}
