import DaybookEncoding

/// Version 2 (BIP 370): the parts of the transaction are fields of the maps.
///
/// A PSBT keeps the version that it was read with, so that other programs find what they wrote.
extension PSBT {
    /// The version of the format that a global map names: 0 (BIP 174) or 2 (BIP 370).
    static func version(_ global: PSBTMap, at offset: Int) throws(PSBTError) -> UInt32 {
        let version = global.number32(PSBTField.version) ?? 0
        let excluded = version == 2 ? [PSBTField.unsignedTransaction] : PSBTField.globalOfVersion2
        guard version == 0 || version == 2 else { throw PSBTError(.version, at: offset) }
        guard global.hasNone(of: excluded) else { throw PSBTError(.otherVersion, at: offset) }
        return version
    }

    /// The number of inputs and outputs, of which each has a map of at least one byte.
    static func counts(
        _ global: PSBTMap, at offset: Int, atMost most: Int
    ) throws(PSBTError) -> (inputs: Int, outputs: Int) {
        guard let inputs = global.count(PSBTField.inputCount),
            let outputs = global.count(PSBTField.outputCount),
            global[PSBTField.transactionVersion] != nil
        else { throw PSBTError(.missing, at: offset) }
        guard inputs <= most, outputs <= most else { throw PSBTError(.endsEarly, at: offset) }
        return (inputs, outputs)
    }

    /// The unsigned transaction of which the maps have the parts.
    static func transaction(
        _ global: PSBTMap, _ inputs: [PSBTMap], _ outputs: [PSBTMap]
    ) throws(PSBTError) -> UTXOTransaction {
        // The upper half is the type of a special transaction, whose payload no field holds.
        guard let version = global.number32(PSBTField.transactionVersion), version >> 16 == 0 else {
            throw PSBTError(.transaction, .whole)
        }
        var spent: [UTXOTransaction.Input] = []
        for (index, map) in inputs.enumerated() {
            guard let bytes = map[PSBTField.previousID], let txid = TransactionID(bytes.span),
                let output = map.number32(PSBTField.outputIndex)
            else { throw PSBTError(.missing, input: index) }
            spent.append(
                UTXOTransaction.Input(
                    Outpoint(txid, output),
                    sequence: map.number32(PSBTField.sequence) ?? UInt32.max))
        }
        var paid: [UTXOTransaction.Output] = []
        for map in outputs {
            guard let amount = map[PSBTField.amount], let script = map[PSBTField.script] else {
                throw PSBTError(.missing, .whole)
            }
            paid.append(
                UTXOTransaction.Output(
                    amount: amount.reversed().reduce(0) { $0 << 8 | UInt64($1) }, script: script))
        }
        return UTXOTransaction(
            version: Int16(truncatingIfNeeded: version), inputs: spent, outputs: paid,
            lockTime: try lockTime(global, inputs))
    }

    /// The lock time that all inputs can have: the greatest height, or else the greatest time.
    private static func lockTime(
        _ global: PSBTMap, _ inputs: [PSBTMap]
    ) throws(PSBTError) -> UInt32 {
        var heights: [UInt32] = []
        var times: [UInt32] = []
        var demanding = 0
        for (index, map) in inputs.enumerated() {
            let height = map.number32(PSBTField.requiredHeight)
            let time = map.number32(PSBTField.requiredTime)
            guard height.map({ $0 > 0 && $0 < leastTime }) ?? true, time ?? .max >= leastTime
            else { throw PSBTError(.value, input: index) }
            if let height { heights.append(height) }
            if let time { times.append(time) }
            if height != nil || time != nil { demanding += 1 }
        }
        if demanding == 0 { return global.number32(PSBTField.fallbackLockTime) ?? 0 }
        if heights.count == demanding { return heights.max() ?? 0 }
        guard times.count == demanding else { throw PSBTError(.lockTimes, .whole) }
        return times.max() ?? 0
    }

    /// Lock times below it are heights of blocks.
    private static let leastTime: UInt32 = 500_000_000

    /// Notes that a signature binds all inputs and outputs: nobody may add any more.
    mutating func fix() {
        guard let flags = global[PSBTField.modifiable]?.first else { return }
        global.set(PSBTField.modifiable, to: [flags & ~3])
    }
}

extension PSBTMap {
    /// A little-endian number of four bytes.
    func number32(_ type: UInt8) -> UInt32? {
        guard let bytes = self[type], bytes.count == 4 else { return nil }
        let number: UInt32 = BigEndian.number(bytes[...])
        return number.byteSwapped
    }

    /// A count in its shortest form.
    fileprivate func count(_ type: UInt8) -> Int? {
        guard let bytes = self[type] else { return nil }
        var reader = TransactionReader(bytes)
        guard let count = try? reader.compactSize(), (try? reader.end()) != nil else { return nil }
        return Int(exactly: count)
    }

    /// Whether no field of some types is there.
    func hasNone(of types: [UInt8]) -> Bool {
        !fields.contains { types.contains($0.key[0]) && $0.key.count == 1 }
    }
}
