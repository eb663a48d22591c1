package import DaybookChains
package import DaybookCrypto
package import DaybookEncoding

extension Signer {
    /// How much a timestamp may differ from the approval's time, in microseconds, as for nodes.
    private static var timestampWindow: UInt64 { 5 * 60 * 1_000_000 }

    /// Signs an ICON transaction that matches the shown terms.
    ///
    /// - Parameters:
    ///   - params: the transaction's parameters, without a signature.
    ///   - time: the time of the approval in microseconds since 1970, which the timestamp must
    ///     have if the terms contain none.
    /// - Throws: `SigningRefusal`, naming the first parameter that differs from the terms.
    package func sign(
        _ params: JSON, under terms: ICONTerms, at time: UInt64
    ) throws(SigningRefusal) -> RecoverableSignature {
        guard material.chain == .icon, material.network == terms.network else {
            throw .wrongNetwork
        }
        guard let transaction = try? ICONTransaction(params: params),
            let members = transaction.params.objectValue,
            let shown = terms.params.objectValue
        else { throw .malformed }
        try compare(members, with: shown, at: time)
        guard material.networkID == nil || material.networkID == transaction.nid else {
            throw .parameterChanged("nid")
        }
        let key = try key(at: .master)
        guard transaction.from == ICONAddress(key.publicKey) else {
            throw .parameterChanged("from")
        }
        guard let signature = key.signRecoverable(digest: transaction.hash) else {
            throw .malformed
        }
        return signature
    }

    /// Checks that each parameter has the same bytes as the shown one.
    ///
    /// A timestamp that was not shown must be near the time of the approval.
    private func compare(
        _ members: [JSON.Member], with shown: [JSON.Member], at time: UInt64
    ) throws(SigningRefusal) {
        // Swift compares strings by canonical equivalence, a node compares bytes.
        func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
        for member in members {
            if let agreed = shown.first(where: { isSame($0.name, member.name) }) {
                guard isSame(agreed.value.text(), member.value.text()) else {
                    throw .parameterChanged(member.name)
                }
                continue
            }
            guard isSame(member.name, "timestamp"),
                let made = member.value.stringValue.flatMap(ICONInteger.parseSmall)
            else { throw .parameterChanged(member.name) }
            guard made >= time.subtractingClamped(Self.timestampWindow),
                made <= time.addingClamped(Self.timestampWindow)
            else { throw .wrongTime(made) }
        }
        for agreed in shown where !members.contains(where: { isSame($0.name, agreed.name) }) {
            throw .parameterChanged(agreed.name)
        }
    }
}

extension UInt64 {
    fileprivate func subtractingClamped(_ other: UInt64) -> UInt64 { self - Swift.min(self, other) }

    fileprivate func addingClamped(_ other: UInt64) -> UInt64 {
        let (sum, isTooLarge) = addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }
}
