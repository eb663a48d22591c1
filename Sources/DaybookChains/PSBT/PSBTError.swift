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
