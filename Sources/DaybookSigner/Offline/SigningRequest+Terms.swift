package import DaybookChains
package import DaybookCrypto
import DaybookEncoding

/// A payment of a PSBT, and the terms that it comes to.
package struct OfflinePayment: Sendable {
    /// What the signer signs.
    package let payment: UnsignedPayment
    /// What the transaction does, the fee out of the whole previous transactions.
    package let terms: PaymentTerms
}

extension SigningRequest {
    /// What the transaction does, seen from a wallet with these public keys.
    package func terms(for material: PublicMaterial) throws(SigningRequestError) -> Terms {
        switch self {
        case .payment(let psbt): return .payment(try psbt.payment(from: material).terms)
        case .icon(let request):
            guard material.chain == .icon, material.network == request.network,
                material.networkID == request.transaction.nid,
                case .single(let bytes) = material.keys, let key = PublicKey(bytes),
                ICONAddress(key) == request.transaction.from
            else { throw .otherWallet }
            let params = request.transaction.params
            return .icon(ICONTerms(network: request.network, params: params, highestFee: nil))
        }
    }

    /// The same with the signatures of a key, if the transaction does what was shown.
    ///
    /// - Throws: `SigningRefusal` or `SigningRequestError`.
    package func signed(
        under terms: Terms, by signer: borrowing Signer
    ) throws -> SigningRequest {
        switch (self, terms) {
        case (.payment(var psbt), .payment(let terms)):
            let payment = try psbt.payment(from: signer.material).payment
            for (index, signature) in try signer.sign(payment, under: terms).enumerated() {
                psbt.add(signature, ofInput: index)
            }
            return .payment(psbt)
        case (.icon(let request), .icon(let terms)):
            let transaction = request.transaction
            let signature = try signer.sign(
                transaction.params, under: terms, at: transaction.timestamp)
            guard let signed = request.signed(by: ICONSignature(signature)) else {
                throw SigningRefusal.malformed
            }
            return .icon(signed)
        default: throw SigningRefusal.wrongNetwork
        }
    }
}

extension PSBT {
    /// What the transaction does, seen from a wallet with these public keys.
    ///
    /// An output is change only if the PSBT says where its key comes from and that key, derived
    /// here, is the one that it pays to. There is one other output: the recipient's.
    package func payment(
        from material: PublicMaterial
    ) throws(SigningRequestError) -> OfflinePayment {
        let (place, spent, fee) = try checked()
        guard let parameters = UTXOParameters.of(material.chain, material.network),
            place.map({ $0 == (material.chain, material.network) }) ?? true
        else { throw .otherWallet }
        var paths: [DerivationPath] = []
        for (index, output) in spent.enumerated() {
            let path = origins(ofInput: index).lazy.map(\.origin.path)
                .first { material.script(at: $0) == output.script }
            guard let path else { throw .foreignInput(index) }
            paths.append(path)
        }
        let changePaths = transaction.outputs.indices.map { index in
            origins(ofOutput: index).lazy.map(\.origin.path).first {
                material.isChange($0)
                    && material.script(at: $0) == transaction.outputs[index].script
            }
        }
        let others = changePaths.indices.filter { changePaths[$0] == nil }
        // A wallet that pays to itself alone pays to the one output that there is.
        let recipients = others.isEmpty && changePaths.count == 1 ? [0] : others
        guard recipients.count == 1, changePaths.count <= 2 else {
            throw .recipients(recipients.count)
        }
        let paid = transaction.outputs[recipients[0]]
        guard let address = UTXOAddress(Script(paid.script), parameters) else {
            throw .noAddress(output: recipients[0])
        }
        let change = changePaths.indices.first { $0 != recipients[0] }.flatMap { changePaths[$0] }
        let previous = inputs.compactMap { map in
            map[PSBTField.previousTransaction].flatMap { try? UTXOTransaction.parse($0) }
        }
        return OfflinePayment(
            payment: UnsignedPayment(
                transaction, inputPaths: paths, changePath: change, previous: previous),
            terms: PaymentTerms(
                chain: material.chain, network: material.network, recipient: address.text,
                amount: paid.amount, highestFee: fee))
    }

    private typealias Checked = (
        place: (chain: Chain, network: Network)?, spent: [UTXOTransaction.Output], fee: UInt64
    )

    private func checked() throws(SigningRequestError) -> Checked {
        do throws(PSBTError) {
            return (try place(), try unsigned().spent, try fee())
        } catch {
            throw .psbt(error)
        }
    }
}

extension PublicMaterial {
    /// The script that pays to the key at a path; nil where the path leads out of the wallet.
    func script(at path: DerivationPath) -> Bytes? {
        publicKey(at: path).map { Script.p2pkh(Hash160.hash($0.compressed)).bytes }
    }

    /// The public key at a path of the wallet, derived from its extended public keys.
    package func publicKey(at path: DerivationPath) -> PublicKey? {
        switch keys {
        case .single(let bytes): return path == .master ? PublicKey(bytes) : nil
        case .accounts(let accounts):
            guard path.components.count > 2 else { return nil }
            let start = DerivationPath(path.components.dropLast(2))
            let steps = Array(path.components.suffix(2))
            for account in accounts {
                let legacy = DerivationPath([account.number | DerivationPath.hardened])
                let standard = DerivationPath.account(account.number, coinType: account.coinType)
                let text = switch start {
                case legacy: account.bip32
                case standard: account.bip44
                default: ""
                }
                if let key = ExtendedPublicKey(text)?.descendant(steps[0], steps[1]) {
                    return key.publicKey
                }
            }
            return nil
        }
    }

    /// Whether the wallet puts change at a path, as far as its form says.
    fileprivate func isChange(_ path: DerivationPath) -> Bool {
        switch keys {
        case .single: path == .master
        case .accounts: path.components.dropLast().last == 1
        }
    }

    /// The first four bytes of the master key's hash; zero where nobody knows them.
    package var masterFingerprint: UInt32 {
        guard case .accounts(let accounts) = keys, let first = accounts.first,
            let key = ExtendedPublicKey(first.bip32), key.depth == 1
        else { return 0 }
        return key.parentFingerprint
    }
}
