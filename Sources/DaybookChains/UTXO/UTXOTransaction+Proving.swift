import DaybookCrypto
package import DaybookEncoding

/// What an input proves about the coin that it spends, without the transaction that made that coin.
///
/// Consensus rules, not those for relaying: another wallet with the same key may have signed in its
/// own way long ago, and such a spend is as real.
extension UTXOTransaction {
    /// The longest transaction that blocks may hold since DIP 1, in bytes.
    package static let maximumSize = 100_000

    /// The pay-to-public-key-hash script of the key that an input shows; nil if it shows none.
    package func shownScript(input index: Int) -> Bytes? {
        shownKey(input: index).flatMap { key in
            PublicKey(key).map { _ in Script.p2pkh(Hash160.hash(key)).bytes }
        }
    }

    /// As `shownScript`, of a transaction whose signatures were checked: the key is one.
    package func claimedScript(input index: Int) -> Bytes? {
        shownKey(input: index).map { Script.p2pkh(Hash160.hash($0)).bytes }
    }

    private func shownKey(input index: Int) -> Bytes? {
        guard let pushes = Script.pushes(inputs[index].script), pushes.count >= 2 else {
            return nil
        }
        return pushes.last
    }

    /// The script of `shownScript`, if the key has signed that this input may spend its coin.
    ///
    /// Nil also for a transaction that is longer than any that blocks may hold: each signature
    /// binds all of it, so that many of them would take minutes to check.
    package func provenScript(input index: Int) -> Bytes? {
        guard let script = shownScript(input: index),
            let pushes = Script.pushes(inputs[index].script), let key = pushes.last,
            let hashType = pushes[pushes.count - 2].last,
            let signature = ECDSASignature(der: Bytes(pushes[pushes.count - 2].dropLast())),
            serialized().count <= Self.maximumSize,
            let digest = signatureDigest(input: index, scriptCode: script, hashType: hashType),
            PublicKey(key)?.verify(digest: digest, signature: signature, requiringLowS: false)
                == true
        else { return nil }
        return script
    }

    /// What a signature of a kind signs: all or none of the outputs, or the one at the input's
    /// place, and all inputs or only its own (CoinJoin's).
    ///
    /// Nil for a kind that nodes do not know, and for `SIGHASH_SINGLE` without an output at the
    /// input's place: its digest is the same for every transaction and binds nothing.
    func signatureDigest(input index: Int, scriptCode: Bytes, hashType: UInt8) -> Bytes? {
        if hashType == Self.signatureHashAll {
            return signatureDigest(input: index, scriptCode: scriptCode)
        }
        var copy = self
        for place in copy.inputs.indices {
            copy.inputs[place].script = place == index ? scriptCode : []
        }
        let outputs = hashType & 0x7f
        if outputs != Self.signatureHashAll {
            for place in copy.inputs.indices where place != index {
                copy.inputs[place].sequence = 0
            }
        }
        switch outputs {
        case Self.signatureHashAll: break
        case Self.signatureHashNone: copy.outputs = []
        case Self.signatureHashSingle:
            guard copy.outputs.indices.contains(index) else { return nil }
            copy.outputs.removeSubrange((index + 1)...)
            for place in 0..<index { copy.outputs[place] = Output(amount: .max, script: []) }
        default: return nil
        }
        if hashType & Self.signatureHashAnyoneCanPay != 0 { copy.inputs = [copy.inputs[index]] }
        var bytes = copy.serialized()
        bytes.append(littleEndian: UInt32(hashType))
        return SHA256.double(bytes)
    }

    private static let signatureHashNone: UInt8 = 2
    private static let signatureHashSingle: UInt8 = 3
    private static let signatureHashAnyoneCanPay: UInt8 = 0x80
}
