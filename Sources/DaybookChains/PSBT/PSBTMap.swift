import DaybookCrypto
package import DaybookEncoding

/// A map of a PSBT: the fields of the whole, of an input or of an output.
///
/// A key has a type and, for some types, data such as a public key. Keys are unique in a map.
package struct PSBTMap: Equatable, Sendable {
    /// A key with its value.
    package struct Field: Equatable, Sendable {
        /// The type, and the data after it.
        package let key: Bytes
        package let value: Bytes
    }

    /// The fields in their serialized order.
    package private(set) var fields: [Field] = []

    /// The most fields of one map.
    package static let maximumFields = 256

    /// An empty map.
    package init() {}

    /// Parses a map and the empty key at its end; `forms` has the known types.
    init(_ reader: inout PSBTReader, _ forms: [UInt8: PSBTField.Form]) throws(PSBTError) {
        var seen: Set<Bytes> = []
        while true {
            let offset = reader.offset
            let key = try reader.data()
            guard let type = key.first else { return }
            guard fields.count < Self.maximumFields else { throw PSBTError(.fields, at: offset) }
            guard PSBTField.isShortestType(key) else { throw PSBTError(.longCount, at: offset) }
            guard seen.insert(key).inserted else { throw PSBTError(.duplicate, at: offset) }
            let value = try reader.data()
            if let form = forms[type] {
                guard form.key.admits(key.dropFirst()) else { throw PSBTError(.key, at: offset) }
                guard form.admits(value) else { throw PSBTError(.value, at: offset) }
            }
            fields.append(Field(key: key, value: value))
        }
    }

    /// The value of a type whose key has no data.
    package subscript(type: UInt8) -> Bytes? {
        fields.first { $0.key == [type] }?.value
    }

    /// The data of each key of a type, with the value.
    package func all(_ type: UInt8) -> [(data: Bytes, value: Bytes)] {
        fields.filter { $0.key.first == type }.map { (Bytes($0.key.dropFirst()), $0.value) }
    }

    /// Sets a field; a new one is inserted in the order of the keys, as nodes do.
    package mutating func set(_ type: UInt8, data: Bytes = [], to value: Bytes) {
        let field = Field(key: [type] + data, value: value)
        if let index = fields.firstIndex(where: { $0.key == field.key }) {
            fields[index] = field
        } else {
            let next = fields.firstIndex { ByteOrder.precedes(field.key, $0.key) }
            fields.insert(field, at: next ?? fields.endIndex)
        }
    }

    /// Removes all fields of some types.
    package mutating func remove(_ types: UInt8...) {
        fields.removeAll { field in types.contains { field.key.first == $0 } }
    }

    /// The fields and the empty key that ends them.
    func serialized() -> Bytes {
        fields.reduce(into: []) { bytes, field in
            bytes += CompactSize.encode(field.key.count) + field.key
            bytes += CompactSize.encode(field.value.count) + field.value
        } + [0]
    }
}

/// The types of fields (BIP 174), and the forms of their keys and values.
package enum PSBTField {
    /// Global: the transaction without signatures.
    package static let unsignedTransaction: UInt8 = 0x00
    /// Global, version 2: the transaction's version.
    static let transactionVersion: UInt8 = 0x02
    /// Global, version 2: the lock time if no input demands one.
    static let fallbackLockTime: UInt8 = 0x03
    /// Global, version 2: the number of inputs.
    static let inputCount: UInt8 = 0x04
    /// Global, version 2: the number of outputs.
    static let outputCount: UInt8 = 0x05
    /// Global, version 2: whether inputs (bit 0) and outputs (bit 1) may be added.
    package static let modifiable: UInt8 = 0x06
    /// Global: the version of the format.
    package static let version: UInt8 = 0xfb

    /// Input: the whole transaction that made the spent output.
    package static let previousTransaction: UInt8 = 0x00
    /// Input: a signature; the key's data is the public key.
    package static let partialSignature: UInt8 = 0x02
    /// Input: the hash type that its signatures must have.
    package static let signatureHashType: UInt8 = 0x03
    /// Input: the script whose hash the spent output pays to.
    package static let redeemScript: UInt8 = 0x04
    /// Input: the witness script; neither Dash nor Axe has segregated witness.
    package static let witnessScript: UInt8 = 0x05
    /// Input: the origin of a public key; the key's data is that key.
    package static let inputOrigin: UInt8 = 0x06
    /// Input: the complete script.
    package static let finalScript: UInt8 = 0x07

    /// Input, version 2: the id of the transaction whose output is spent.
    static let previousID: UInt8 = 0x0e
    /// Input, version 2: the number of that output.
    static let outputIndex: UInt8 = 0x0f
    /// Input, version 2: the sequence number, the final one without the field.
    static let sequence: UInt8 = 0x10
    /// Input, version 2: the time that the lock time must have reached.
    static let requiredTime: UInt8 = 0x11
    /// Input, version 2: the height that the lock time must have reached.
    static let requiredHeight: UInt8 = 0x12

    /// Output: the origin of a public key; the key's data is that key.
    package static let outputOrigin: UInt8 = 0x02
    /// Output, version 2: the amount.
    static let amount: UInt8 = 0x03
    /// Output, version 2: the script that is paid to.
    static let script: UInt8 = 0x04

    static let globalOfVersion2 = [
        transactionVersion, fallbackLockTime, inputCount, outputCount, modifiable,
    ]
    static let inputOfVersion2 = [previousID, outputIndex, sequence, requiredTime, requiredHeight]
    static let outputOfVersion2 = [amount, script]

    /// The form of the keys and values of a type.
    struct Form {
        enum Key {
            case typeAlone, publicKey

            func admits(_ data: ArraySlice<UInt8>) -> Bool {
                switch self {
                case .typeAlone: data.isEmpty
                case .publicKey: PublicKey(Bytes(data)) != nil
                }
            }
        }

        enum Value {
            case any, origin
            case bytes(Int)
        }

        let key: Key
        let value: Value

        func admits(_ bytes: Bytes) -> Bool {
            switch value {
            case .any: true
            case .bytes(let count): bytes.count == count
            case .origin: KeyOrigin(bytes) != nil
            }
        }
    }

    private static let single = Form(key: .typeAlone, value: .any)
    private static let number = Form(key: .typeAlone, value: .bytes(4))
    private static let origin = Form(key: .publicKey, value: .origin)

    static let global = [
        unsignedTransaction: single, version: number, transactionVersion: number,
        fallbackLockTime: number, inputCount: single, outputCount: single,
        modifiable: Form(key: .typeAlone, value: .bytes(1)),
    ]
    /// 01 and 08 belong to segregated witness; only their form is checked.
    static let input = [
        previousTransaction: single, 0x01: single,
        partialSignature: Form(key: .publicKey, value: .any), signatureHashType: number,
        redeemScript: single, witnessScript: single, inputOrigin: origin, finalScript: single,
        0x08: single, previousID: Form(key: .typeAlone, value: .bytes(32)), outputIndex: number,
        sequence: number, requiredTime: number, requiredHeight: number,
    ]
    /// 00 and 01 are the redeem script and the witness script.
    static let output = [
        0x00: single, 0x01: single, outputOrigin: origin,
        amount: Form(key: .typeAlone, value: .bytes(8)), script: single,
    ]

    /// Whether the type at the start of a key has its shortest encoding.
    static func isShortestType(_ key: Bytes) -> Bool {
        guard let first = key.first, first >= 0xfd else { return true }
        let width = 1 << Int(first - 0xfc)
        guard key.count > width else { return false }
        // A zero upper half, or a number below 0xfd, has a shorter encoding.
        let upper = key[(1 + width / 2)...width]
        return upper.contains { $0 != 0 } || (first == 0xfd && key[1] >= 0xfd)
    }
}

/// The origin of a public key: the master key's fingerprint, and the path from there.
package struct KeyOrigin: Equatable, Sendable {
    /// The first four bytes of the master key's hash.
    package let masterFingerprint: UInt32
    package let path: DerivationPath

    package init(masterFingerprint: UInt32, path: DerivationPath) {
        self.masterFingerprint = masterFingerprint
        self.path = path
    }

    /// Parses the value of a field; nil if it is malformed.
    init?(_ value: Bytes) {
        guard value.count >= 4, value.count % 4 == 0 else { return nil }
        let steps = stride(from: 4, to: value.count, by: 4).map { start -> UInt32 in
            let step: UInt32 = BigEndian.number(value[start..<(start + 4)])
            return step.byteSwapped
        }
        guard let path = DerivationPath(steps) else { return nil }
        self.init(masterFingerprint: BigEndian.number(value[..<4]), path: path)
    }

    /// The value of a field with this origin.
    var value: Bytes {
        path.components.reduce(into: BigEndian.fourBytes(masterFingerprint)) { bytes, step in
            bytes.append(littleEndian: step)
        }
    }
}
