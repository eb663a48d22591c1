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

extension PSBT {
    /// The chain and network that the transaction is for, where a field of ours names them.
    ///
    /// Dash and Axe have the same transactions and, for wallets of the same words, the same keys:
    /// nothing else in a PSBT tells them apart. Other programs keep the field and do not read it.
    package func place() throws(PSBTError) -> (chain: Chain, network: Network)? {
        guard let field = global.fields.first(where: { $0.key == Self.placeKey }) else {
            return nil
        }
        let parts = Text.utf8String(field.value)?.split(
            separator: "/", omittingEmptySubsequences: false)
        guard let parts, parts.count == 2, let chain = Chain(rawValue: String(parts[0])),
            let network = Network(rawValue: String(parts[1]))
        else { throw PSBTError(.place, .whole) }
        return (chain, network)
    }

    /// Names the chain and network that the transaction is for.
    package mutating func setPlace(_ chain: Chain, _ network: Network) {
        global.set(
            Self.placeKey[0], data: Bytes(Self.placeKey.dropFirst()),
            to: Bytes("\(chain.rawValue)/\(network.rawValue)".utf8))
    }

    /// BIP 174's type for proprietary use, the length of a name, the name, and a type of ours.
    private static let placeKey: Bytes = [0xfc, 7] + Bytes("daybook".utf8) + [0]
}

/// Why bytes are no PSBT that can be read, signed or finalized, and where.
package struct PSBTError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    package enum Reason: String, Hashable, Sendable {
        case base64 = "it is neither a PSBT nor the base 64 of one"
        case magic = "it does not begin like a PSBT"
        case tooLarge = "it is larger than 16 MiB"
        case endsEarly = "the bytes end inside the PSBT"
        case trailingBytes = "bytes follow the PSBT"
        case longCount = "a count is not written in its shortest form"
        case fields = "a map has more than 256 fields"
        case duplicate = "a key stands in its map twice"
        case key = "a key is not what its type demands"
        case value = "a value is not what its type demands"
        case version = "it is of a version other than 0"
        case noTransaction = "it has no unsigned transaction"
        case transaction = "its unsigned transaction is none"
        case scripts = "its unsigned transaction has input scripts"
        case place = "it names no chain and network that there is"
        case noPrevious = "the transaction that made the spent output is missing"
        case otherPrevious = "the previous transaction is not the one that is spent"
        case previous = "the previous transaction has no such output"
        case hashType = "a signature that binds less than all inputs and outputs is asked for"
        case script = "the spent output does not pay to a key's hash"
        case noSignature = "there is no signature of the key that the spent output pays to"
        case signature = "the signature does not verify"
        case fee = "the outputs are more than the inputs"
    }

    /// Where something is wrong.
    package enum Place: Hashable, Sendable {
        /// In the bytes, from their start.
        case offset(Int)
        /// In what an input says, or would say; from 0.
        case input(Int)
        /// In the whole.
        case whole
    }

    /// What is wrong.
    package let reason: Reason
    /// Where.
    package let place: Place

    init(_ reason: Reason, at offset: Int) {
        self.init(reason, .offset(offset))
    }

    init(_ reason: Reason, input: Int) {
        self.init(reason, .input(input))
    }

    /// An error at a place.
    package init(_ reason: Reason, _ place: Place) {
        self.reason = reason
        self.place = place
    }

    /// The reason in words, and the place.
    package var description: String {
        switch place {
        case .offset(let offset): "\(reason.rawValue) (offset \(offset))"
        case .input(let input): "\(reason.rawValue) (input \(input))"
        case .whole: reason.rawValue
        }
    }
}
