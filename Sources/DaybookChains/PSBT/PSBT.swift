package import DaybookEncoding

/// A partially signed transaction, version 0 (BIP 174) or 2 (BIP 370), that spends legacy outputs.
///
/// Its fields are in one global map, one map for each input and one for each output. Unknown fields
/// are kept, so that a parsed PSBT serializes to the same bytes.
package struct PSBT: Equatable, Sendable {
    /// The unsigned transaction, whose inputs have empty scripts.
    package let transaction: UTXOTransaction
    /// The global map, which includes the transaction in version 0.
    package internal(set) var global: PSBTMap
    package var inputs: [PSBTMap]
    package var outputs: [PSBTMap]

    /// The maximum size: 675 inputs, the most that are relayed, with 24 KiB for each.
    package static let maximumSize = 16 << 20

    /// The largest file: its hexadecimal digits with line breaks.
    package static let maximumFileSize = 5 * maximumSize / 2

    static let magic = Bytes("psbt".utf8) + [0xff]

    /// A PSBT of a transaction without further fields; the input scripts are removed.
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

    /// Parses a PSBT, which must use all of the bytes.
    ///
    /// Checks only the form; `spentOutputs()` and `finalized()` check the content of the fields.
    package init(parsing bytes: Bytes) throws(PSBTError) {
        guard bytes.count <= Self.maximumSize else { throw PSBTError(.tooLarge, at: bytes.count) }
        guard bytes.starts(with: Self.magic) else { throw PSBTError(.magic, at: 0) }
        var reader = PSBTReader(bytes, from: Self.magic.count)
        let start = reader.offset
        let global = try PSBTMap(&reader, PSBTField.global)
        self.global = global
        if try Self.version(global, at: start) == 2 {
            let counts = try Self.counts(global, at: start, atMost: bytes.count)
            (inputs, outputs) = try Self.maps(&reader, counts)
            transaction = try Self.transaction(global, inputs, outputs)
        } else {
            transaction = try Self.unsignedTransaction(global, at: start)
            let counts = (transaction.inputs.count, transaction.outputs.count)
            (inputs, outputs) = try Self.maps(
                &reader, counts, without: PSBTField.inputOfVersion2, PSBTField.outputOfVersion2)
        }
        try reader.end()
    }

    private static func unsignedTransaction(
        _ global: PSBTMap, at offset: Int
    ) throws(PSBTError) -> UTXOTransaction {
        guard let unsigned = global[PSBTField.unsignedTransaction] else {
            throw PSBTError(.noTransaction, at: offset)
        }
        guard let transaction = try? UTXOTransaction.parse(unsigned) else {
            throw PSBTError(.transaction, at: offset)
        }
        guard transaction.inputs.allSatisfy(\.script.isEmpty) else {
            throw PSBTError(.scripts, at: offset)
        }
        return transaction
    }

    /// The maps of inputs and outputs, without the fields of another version.
    private static func maps(
        _ reader: inout PSBTReader, _ counts: (inputs: Int, outputs: Int),
        without excludedInput: [UInt8] = [], _ excludedOutput: [UInt8] = []
    ) throws(PSBTError) -> (inputs: [PSBTMap], outputs: [PSBTMap]) {
        var inputs: [PSBTMap] = []
        for index in 0..<counts.inputs {
            inputs.append(try PSBTMap(&reader, PSBTField.input))
            guard inputs[index].hasNone(of: excludedInput) else {
                throw PSBTError(.otherVersion, input: index)
            }
        }
        var outputs: [PSBTMap] = []
        for index in 0..<counts.outputs {
            outputs.append(try PSBTMap(&reader, PSBTField.output))
            guard outputs[index].hasNone(of: excludedOutput) else {
                throw PSBTError(.otherVersion, .whole)
            }
        }
        return (inputs, outputs)
    }

    /// Parses a file's content in any wrapping of `PSBTFile`.
    package init(file content: Bytes) throws(PSBTError) {
        try self.init(parsing: try PSBTFile.bytes(of: content))
    }

    /// The PSBT in its binary form.
    package func serialized() -> Bytes {
        ([global] + inputs + outputs).reduce(into: Self.magic) { bytes, map in
            bytes += map.serialized()
        }
    }

    /// The PSBT in base64, as nodes' commands such as `decodepsbt` take it.
    package var base64: String { Base64.encode(serialized()) }
}

/// Reads the length-prefixed fields of a PSBT.
struct PSBTReader {
    private var reader: TransactionReader

    init(_ bytes: Bytes, from offset: Int) {
        reader = TransactionReader(bytes, from: offset)
    }

    var offset: Int { reader.offset }

    /// Bytes preceded by their count.
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

extension PSBT {
    /// The chain and network in Daybook's proprietary field; nil if the PSBT has no such field.
    ///
    /// Dash and Axe have the same transaction format and, for the same mnemonic, the same keys, so
    /// nothing else in a PSBT tells them apart. Other programs keep the field and ignore it.
    package func chainID() throws(PSBTError) -> ChainID? {
        guard let field = global.fields.first(where: { $0.key == Self.chainIDKey }) else {
            return nil
        }
        let parts = Text.utf8String(field.value)?.split(
            separator: "/", omittingEmptySubsequences: false)
        guard let parts, parts.count == 2, let chain = Chain(rawValue: String(parts[0])),
            let network = Network(rawValue: String(parts[1]))
        else { throw PSBTError(.chainID, .whole) }
        return ChainID(chain, network)
    }

    /// Records the chain and network that the transaction is for.
    package mutating func setChainID(_ id: ChainID) {
        global.set(
            Self.chainIDKey[0], data: Bytes(Self.chainIDKey.dropFirst()),
            to: Bytes("\(id.chain.rawValue)/\(id.network.rawValue)".utf8))
    }

    /// BIP 174's proprietary key type, the length of our identifier, the identifier, a subtype.
    private static let chainIDKey: Bytes = [0xfc, 7] + Bytes("daybook".utf8) + [0]
}

/// Why a PSBT can't be parsed, signed or finalized, and which part is at fault.
package struct PSBTError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    package enum Reason: String, Hashable, Sendable {
        case base64 = "it is no PSBT in binary, base64 or hexadecimal digits"
        case magic = "it does not begin like a PSBT"
        case tooLarge = "it is larger than 16 MiB"
        case endsEarly = "the bytes end inside the PSBT"
        case trailingBytes = "bytes follow the PSBT"
        case longCount = "a count is not written in its shortest form"
        case fields = "a map has more than 256 fields"
        case duplicate = "a key stands in its map twice"
        case key = "a key is not what its type demands"
        case value = "a value is not what its type demands"
        case version = "it is of a version other than 0 and 2"
        case otherVersion = "a field of the other version stands in it"
        case missing = "a field that version 2 demands is missing"
        case lockTimes = "one input demands a height and another a time as lock time"
        case noTransaction = "it has no unsigned transaction"
        case transaction = "its unsigned transaction is none"
        case scripts = "its unsigned transaction has input scripts"
        case chainID = "it names an unknown chain or network"
        case noPrevious = "the transaction that made the spent output is missing"
        case otherPrevious = "the previous transaction is not the one that is spent"
        case previous = "the previous transaction has no such output"
        case hashType = "a signature that binds less than all inputs and outputs is asked for"
        case script = "the spent output does not pay to a key's hash"
        case noSignature = "there is no signature of the key that the spent output pays to"
        case signature = "the signature does not verify"
        case fee = "the outputs are more than the inputs"
    }

    /// The part of the PSBT that is wrong.
    package enum Location: Hashable, Sendable {
        /// The byte at this offset.
        case offset(Int)
        /// The map of this input, counted from 0.
        case input(Int)
        /// The PSBT as a whole.
        case whole
    }

    package let reason: Reason
    package let location: Location

    init(_ reason: Reason, at offset: Int) {
        self.init(reason, .offset(offset))
    }

    init(_ reason: Reason, input: Int) {
        self.init(reason, .input(input))
    }

    package init(_ reason: Reason, _ location: Location) {
        self.reason = reason
        self.location = location
    }

    /// The reason in words, and the location.
    package var description: String {
        switch location {
        case .offset(let offset): "\(reason.rawValue) (offset \(offset))"
        case .input(let input): "\(reason.rawValue) (input \(input))"
        case .whole: reason.rawValue
        }
    }
}
