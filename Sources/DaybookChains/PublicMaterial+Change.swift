/// Where a wallet's change may go.
extension PublicMaterial {
    /// Whether a path has the form of the wallet's change addresses.
    ///
    /// Other shapes are not: another account, branch 2, a hardened or missing step, an index that
    /// no wallet reaches by its own payments.
    package func isChange(_ path: DerivationPath) -> Bool {
        switch keys {
        case .single: return path == .master
        case .accounts(let accounts):
            guard let index = path.components.last, index < Self.changeIndexes else {
                return false
            }
            return accounts.contains { account in
                let legacy = DerivationPath([account.number | DerivationPath.hardened])
                let standard = DerivationPath.account(
                    account.number, coinType: account.coinType)
                return [legacy, standard].contains {
                    $0?.child(1)?.child(index) == path
                }
            }
        }
    }

    /// Whether a wallet restored from its words finds change at a path, as far as payments prove.
    ///
    /// A restored wallet looks at the first addresses of a branch, and at as many after each that
    /// was used. The coins that are spent with the change prove that their addresses were used; one
    /// that lies too far ahead itself proves nothing, because anyone can pay to it.
    package func finds(
        changeAt path: DerivationPath, spending inputs: [DerivationPath]
    ) -> Bool {
        guard case .accounts = keys, let index = path.components.last else { return true }
        let branch = path.components.dropLast()
        let used = inputs.filter { $0.components.dropLast() == branch }
            .compactMap(\.components.last).sorted()
        var end = DerivationPath.gapLimit
        for known in used where known < end { end = known + 1 + DerivationPath.gapLimit }
        return index < end
    }

    /// The change of a payment, if a restored wallet may not find it.
    package func farChange(
        to path: DerivationPath?, of amount: UInt64?, spending inputs: [DerivationPath]
    ) -> PaymentTerms.FarChange? {
        guard let path, let amount, !finds(changeAt: path, spending: inputs) else { return nil }
        return PaymentTerms.FarChange(path: path, amount: amount)
    }

    /// No wallet reaches this index by its own payments: change beyond it would not be found.
    private static let changeIndexes: UInt32 = 1_000_000
}

extension DerivationPath {
    /// Unused addresses that a wallet looks at ahead, as BIP 44 recommends.
    package static let gapLimit: UInt32 = 20
}
