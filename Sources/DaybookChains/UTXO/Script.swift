package import DaybookEncoding

/// The script of an output, by its kind.
package enum Script: Hashable, Sendable {
    /// Pays to a public key hash.
    case p2pkh(Bytes)
    /// Pays to a script hash.
    case p2sh(Bytes)
    /// Pays to a public key, as old coinbases do.
    case p2pk(Bytes)
    /// A data output, which can't be spent; the value is the whole script.
    case data(Bytes)
    /// Any other script; the value is the whole script.
    case other(Bytes)

    /// Recognises the kind of a script.
    package init(_ bytes: Bytes) {
        let count = bytes.count
        if count == 25, bytes.starts(with: [Op.dup, Op.hash160, 20]),
            bytes[23...].elementsEqual([Op.equalVerify, Op.checkSignature]) {
            self = .p2pkh(Bytes(bytes[3..<23]))
        } else if count == 23, bytes.starts(with: [Op.hash160, 20]), bytes[22] == Op.equal {
            self = .p2sh(Bytes(bytes[2..<22]))
        } else if Self.isPublicKeyScript(bytes) {
            self = .p2pk(Bytes(bytes[1..<(count - 1)]))
        } else if bytes.first == Op.returnData, Self.pushesOnly(bytes[1...]) {
            self = .data(bytes)
        } else {
            self = .other(bytes)
        }
    }

    /// The script in serialized form.
    package var bytes: Bytes {
        switch self {
        case .p2pkh(let hash):
            [Op.dup, Op.hash160, 20] + hash + [Op.equalVerify, Op.checkSignature]
        case .p2sh(let hash): [Op.hash160, 20] + hash + [Op.equal]
        case .p2pk(let key): [UInt8(key.count)] + key + [Op.checkSignature]
        case .data(let script), .other(let script): script
        }
    }

    /// Whether the script only carries data.
    package var isData: Bool {
        if case .data = self { true } else { false }
    }

    /// The data that a script pushes; nil if it does anything else.
    package static func pushes(_ script: some Collection<UInt8>) -> [Bytes]? {
        var pushes: [Bytes] = []
        var rest = script[...]
        while let op = rest.popFirst() {
            guard let count = pushCount(op, &rest), rest.count >= count else { return nil }
            pushes.append(Bytes(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return pushes
    }

    /// A script that pushes the given data, each with the shortest opcode that can.
    package static func pushing(_ data: [Bytes]) -> Bytes {
        data.reduce(into: []) { script, item in
            switch item.count {
            case 0...75: script.append(UInt8(item.count))
            case 76...255: script += [Op.pushData1, UInt8(item.count)]
            default: script += [Op.pushData2, UInt8(item.count & 0xff), UInt8(item.count >> 8)]
            }
            script += item
        }
    }

    private static func isPublicKeyScript(_ bytes: Bytes) -> Bool {
        switch (bytes.count, bytes.first) {
        case (35, 33): (2...3).contains(bytes[1]) && bytes[34] == Op.checkSignature
        case (67, 65): bytes[1] == 4 && bytes[66] == Op.checkSignature
        default: false
        }
    }

    /// Whether a script only pushes; here `OP_1` to `OP_16` count too, as nodes accept them.
    private static func pushesOnly(_ script: some Collection<UInt8>) -> Bool {
        var rest = script[...]
        while let op = rest.popFirst() {
            if op > Op.pushData4, op <= Op.sixteen { continue }
            guard let count = pushCount(op, &rest), rest.count >= count else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func pushCount<Rest: Collection<UInt8>>(
        _ op: UInt8, _ rest: inout Rest
    ) -> Int? where Rest.SubSequence == Rest {
        let width: Int
        switch op {
        case 0...75: return Int(op)
        case Op.pushData1: width = 1
        case Op.pushData2: width = 2
        case Op.pushData4: width = 4
        default: return nil
        }
        var count = 0
        for index in 0..<width {
            guard let byte = rest.popFirst() else { return nil }
            count |= Int(byte) << (8 * index)
        }
        return count
    }
}

/// The opcodes of standard scripts.
private enum Op {
    static let pushData1: UInt8 = 0x4c
    static let pushData2: UInt8 = 0x4d
    static let pushData4: UInt8 = 0x4e
    static let sixteen: UInt8 = 0x60
    static let returnData: UInt8 = 0x6a
    static let dup: UInt8 = 0x76
    static let equal: UInt8 = 0x87
    static let equalVerify: UInt8 = 0x88
    static let hash160: UInt8 = 0xa9
    static let checkSignature: UInt8 = 0xac
}

/// Why an input's script does not satisfy the script of the output it spends.
package struct ScriptFailure: Hashable, Sendable {
    /// The reason in the words of Dash Core and Axe Core (`script_error.cpp`).
    package enum Reason: String, Hashable, Sendable {
        case stack = "Operation not valid with the current stack size"
        case pushSize = "Data push larger than necessary"
        case equalVerify = "Script failed an OP_EQUALVERIFY operation"
        case foundInScript = "Signature is found in scriptCode"
        case signatureEncoding = "Non-canonical DER signature"
        case highS = "Non-canonical signature: S value is unnecessarily high"
        case hashType = "Signature hash type missing or not understood"
        case keyEncoding = "Public key is neither compressed or uncompressed"
        case nullFail = "Signature must be zero for failed CHECK(MULTI)SIG operation"
        case evaluatedFalse =
            "Script evaluated without error but finished with a false/empty top stack element"
        case cleanStack = "Stack size must be exactly one after execution"
        /// Ours: a script that Daybook does not evaluate, though a node might.
        case unsupported = "unsupported script"
    }

    package let reason: Reason
    /// Whether the consensus rules forbid the input, and not only the relay rules.
    package let isMandatory: Bool

    init(_ reason: Reason, isMandatory: Bool = true) {
        self.reason = reason
        self.isMandatory = isMandatory
    }
}
