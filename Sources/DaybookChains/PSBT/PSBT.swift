package import DaybookEncoding

/// A partially signed transaction, version 0 (BIP 174), of inputs that spend legacy outputs.
///
/// Three kinds of maps hold its fields: one for the whole, one for each input, one for each
/// output. Fields that are not understood are kept: what was parsed serializes to the same bytes.
package struct PSBT: Equatable, Sendable {
    /// The transaction, its inputs' scripts empty.
    package let transaction: UTXOTransaction
    /// What is said of the whole, the transaction included.
    package internal(set) var global: PSBTMap
    /// What is said of each input.
    package var inputs: [PSBTMap]
    /// What is said of each output.
    package var outputs: [PSBTMap]

    /// The most bytes of a PSBT: 675 inputs, the most that are relayed, with 24 KiB for each.
    package static let maximumSize = 16 << 20

    private static let magic = Bytes("psbt".utf8) + [0xff]

    /// A PSBT that says nothing but the transaction, whose scripts it leaves out.
    package init(_ transaction: UTXOTransaction) {
        var unsigned = transaction
        for index in unsigned.inputs.indices { unsigned.inputs[index].script = [] }
        self.transaction = unsigned
        var global = PSBTMap()
        global.set(PSBTField.unsignedTransaction, to: unsigned.serialized())
        self.global = global
        inputs = unsigned.inputs.map { _ in PSBTMap() }
        outputs = unsigned.outputs.map { _ in PSBTMap() }
    }

    /// Reads a PSBT that takes all of the bytes.
    ///
    /// Checks the form alone; `spentOutputs()` and `finalized()` check what the fields say.
    package init(parsing bytes: Bytes) throws(PSBTError) {
        guard bytes.count <= Self.maximumSize else { throw PSBTError(.tooLarge, at: bytes.count) }
        guard bytes.starts(with: Self.magic) else { throw PSBTError(.magic, at: 0) }
        var reader = PSBTReader(bytes, from: Self.magic.count)
        let start = reader.offset
        let global = try PSBTMap(&reader, PSBTField.global)
        guard let unsigned = global[PSBTField.unsignedTransaction] else {
            throw PSBTError(.noTransaction, at: start)
        }
        guard let transaction = try? UTXOTransaction.parse(unsigned) else {
            throw PSBTError(.transaction, at: start)
        }
        guard transaction.inputs.allSatisfy(\.script.isEmpty) else {
            throw PSBTError(.scripts, at: start)
        }
        guard global[PSBTField.version] ?? [0, 0, 0, 0] == [0, 0, 0, 0] else {
            throw PSBTError(.version, at: start)
        }
        self.global = global
        self.transaction = transaction
        inputs = []
        for _ in transaction.inputs { inputs.append(try PSBTMap(&reader, PSBTField.input)) }
        outputs = []
        for _ in transaction.outputs { outputs.append(try PSBTMap(&reader, PSBTField.output)) }
        try reader.end()
    }

    /// Reads a file's content: the bytes, or their base 64 with or without an end of line.
    package init(file content: Bytes) throws(PSBTError) {
        if content.starts(with: Self.magic) {
            try self.init(parsing: content)
            return
        }
        guard content.count <= Self.maximumSize / 3 * 4 + 4 else {
            throw PSBTError(.tooLarge, at: content.count)
        }
        let blanks = Bytes(" \t\r\n".utf8)
        let end = content.lastIndex { !blanks.contains($0) }
        guard let end, let bytes = Base64.decode(Bytes(content[...end])) else {
            throw PSBTError(.base64, at: 0)
        }
        try self.init(parsing: bytes)
    }

    /// The bytes of a file of this PSBT.
    package func serialized() -> Bytes {
        ([global] + inputs + outputs).reduce(into: Self.magic) { bytes, map in
            bytes += map.serialized()
        }
    }

    /// The text that `decodepsbt` and other commands of nodes take.
    package var base64: String { Base64.encode(serialized()) }
}

/// Walks over a PSBT's bytes.
struct PSBTReader {
    private var reader: TransactionReader

    init(_ bytes: Bytes, from offset: Int) {
        reader = TransactionReader(bytes, from: offset)
    }

    var offset: Int { reader.offset }

    /// Bytes with their count before them.
    mutating func data() throws(PSBTError) -> Bytes {
        do throws(TransactionError) {
            return try reader.data()
        } catch {
            throw PSBTError(error.reason == .longCount ? .longCount : .endsEarly, at: error.offset)
        }
    }

    func end() throws(PSBTError) {
        do throws(TransactionError) {
            try reader.end()
        } catch {
            throw PSBTError(.trailingBytes, at: error.offset)
        }
    }
}
