package import DaybookChains
package import DaybookCrypto
package import DaybookEncoding

/// A file with a transaction for another machine to sign, and with its signatures afterwards.
///
/// For Dash and Axe the file is a PSBT with the whole previous transactions, which Dash Core reads
/// and writes as well; for ICON it is JSON. The file is not trusted: the machine with the key
/// computes the terms from the transaction and signs under these.
package enum SigningRequest: Equatable, Sendable {
    /// A payment on Dash or Axe.
    case payment(PSBT)
    /// A transaction on ICON.
    case icon(ICONSigningRequest)

    /// Reads a file's content: a PSBT in any of its wrappings, or JSON.
    package init(file content: Bytes) throws(SigningRequestError) {
        if let file = try ICONSigningRequest(file: content) {
            self = .icon(file)
            return
        }
        do throws(PSBTError) {
            self = .payment(try PSBT(file: content))
        } catch {
            throw .psbt(error)
        }
    }

    /// The file's content: text in both forms.
    package var file: Bytes {
        switch self {
        case .payment(let psbt): Bytes((psbt.base64 + "\n").utf8)
        case .icon(let request): request.file
        }
    }
}

/// Why a file is not a signing request, or can't be signed.
package enum SigningRequestError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A PSBT that can't be read, or lacks what a signer needs.
    case psbt(PSBTError)
    /// The text is not JSON, or not a signing request.
    case json(String)
    /// A newer program wrote the file, or a development version before the first release.
    case unknownFormat(FormatNumberError)
    /// The parameters do not form an ICON transaction.
    case parameter(String)
    /// The file is for another chain, network or key.
    case otherWallet
    /// An input names no key of the wallet, or spends an output of another key.
    case foreignInput(Int)
    /// The transaction has no recipient, or more than can be shown.
    case recipients(Int)
    /// Several outputs go back to the wallet.
    case changes(Int)
    /// The file says that an output pays the wallet's key, and it does not.
    case falseChange(output: Int)
    /// An output pays to a script that has no address.
    case noAddress(output: Int)
    /// The fee is so high that it must be a mistake; both in duffs.
    case feeTooHigh(UInt64, highest: UInt64)

    /// The error as one line in lower case.
    package var description: String {
        switch self {
        case .psbt(let error): error.description
        case .json(let reason): "it is no signing request: \(reason)"
        case .unknownFormat(let error): error.description
        case .parameter(let name): "the parameter \(name) has no place in a transaction"
        case .otherWallet: "it is for another wallet"
        case .foreignInput(let input): "input \(input) spends a coin of another wallet"
        case .recipients(0): "it pays nobody but the wallet itself"
        case .recipients(let count):
            "it pays \(count) addresses, and at most \(PaymentTerms.mostPayees) are shown"
        case .changes(let count):
            "\(count) of its outputs are change, and a payment here has one"
        case .falseChange(let output):
            "output \(output) is said to pay a key of the wallet, and pays another: don't trust"
                + " the file"
        case .noAddress(let output): "output \(output) pays to a script without an address"
        case .feeTooHigh(let fee, let highest):
            "its fee is \(Duffs.text(fee)): more than \(Duffs.text(highest)) for its size must be"
                + " a mistake"
        }
    }
}

/// A payment from a PSBT, with its terms.
package struct OfflinePayment: Sendable {
    /// The transaction that the signer signs.
    package let payment: UnsignedPayment
    /// The terms of the transaction; the fee follows from the whole previous transactions.
    package let terms: PaymentTerms
}

extension SigningRequest {
    /// Returns the terms of the transaction for a wallet with these public keys.
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

    /// Returns the request with signatures, if the transaction matches the terms that were shown.
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
    /// Returns the terms of the transaction for a wallet with these public keys.
    ///
    /// An output is change only if the PSBT names its derivation path and the key derived here is
    /// the one that the output pays to. All others pay somebody, and are in the terms. Change that
    /// a restored wallet may not find is part of the terms.
    package func payment(
        from material: PublicMaterial
    ) throws(SigningRequestError) -> OfflinePayment {
        let (chainID, spent, fee) = try checked()
        guard let parameters = UTXOParameters.of(material.chain, material.network),
            chainID == nil || chainID == ChainID(material.chain, material.network)
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
        // A payment to the wallet itself has a single output.
        let recipients = others.isEmpty && changePaths.count == 1 ? [0] : others
        guard (1...PaymentTerms.mostPayees).contains(recipients.count) else {
            throw .recipients(recipients.count)
        }
        let changes = changePaths.indices.filter { !recipients.contains($0) }
        guard changes.count <= 1 else { throw .changes(changes.count) }
        var payees: [PaymentTerms.Payee] = []
        for index in recipients {
            payees.append(try payee(ofOutput: index, material, parameters))
        }
        let change = changes.first
        let changePath = change.flatMap { changePaths[$0] }
        let highest = UTXOFees.highest(ofBytes: size(returning: others.isEmpty))
        guard fee <= highest else { throw .feeTooHigh(fee, highest: highest) }
        let previous = inputs.compactMap { map in
            map[PSBTField.previousTransaction].flatMap { try? UTXOTransaction.parse($0) }
        }
        return OfflinePayment(
            payment: UnsignedPayment(
                transaction, inputPaths: paths, changePath: changePath, previous: previous),
            terms: PaymentTerms(
                chain: material.chain, network: material.network, recipient: payees[0].address,
                amount: payees[0].amount, highestFee: fee,
                farChange: material.farChange(
                    to: changePath, of: change.map { transaction.outputs[$0].amount },
                    spending: paths),
                collaterals: spent.map(\.amount).filter(material.chain.rules.collaterals.contains),
                others: Array(payees.dropFirst())))
    }

    /// The payee of an output that is not change.
    ///
    /// One that the file says to be the wallet's, by one of the wallet's own keys, must be.
    private func payee(
        ofOutput index: Int, _ material: PublicMaterial, _ parameters: UTXOParameters
    ) throws(SigningRequestError) -> PaymentTerms.Payee {
        let output = transaction.outputs[index]
        let isFalse = origins(ofOutput: index).contains { key, origin in
            material.publicKey(at: origin.path)?.compressed == key
                && material.script(at: origin.path) != output.script
        }
        guard !isFalse else { throw .falseChange(output: index) }
        guard let address = UTXOAddress(Script(output.script), parameters) else {
            throw .noAddress(output: index)
        }
        return PaymentTerms.Payee(address: address.text, amount: output.amount)
    }

    /// The bytes for which the transaction's fee may pay.
    ///
    /// Change that was too small to be made went to the fee. A transaction that pays the wallet
    /// itself may be a bump, which also pays for the payments that it depends on.
    private func size(returning: Bool) -> UInt64 {
        let outputs = transaction.outputs
        let size = RelayPolicy.maximumBytes(
            inputs: transaction.inputs.count,
            outputs: outputs.count == 1 ? outputs + [RelayPolicy.p2pkhOutput] : outputs)
        return returning ? size * UInt64(RelayPolicy.ancestorLimit) : size
    }

    private typealias Checked = (
        chainID: ChainID?, spent: [UTXOTransaction.Output], fee: UInt64
    )

    private func checked() throws(SigningRequestError) -> Checked {
        do throws(PSBTError) {
            return (try chainID(), try unsigned().spent, try fee())
        } catch {
            throw .psbt(error)
        }
    }
}

extension PublicMaterial {
    /// The script that pays to the key at a path; nil if the path is not one of the wallet.
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
            let parents = accounts.lazy.flatMap(\.extendedKeys)
            return parents.first { $0.path == start }
                .flatMap { ExtendedPublicKey($0.text)?.descendant(steps[0], steps[1])?.publicKey }
        }
    }

    /// The fingerprint of the master key (the first four bytes of its hash); zero if unknown.
    package var masterFingerprint: UInt32 {
        guard case .accounts(let accounts) = keys, let first = accounts.first else { return 0 }
        if first.master != 0 { return first.master }
        guard let key = ExtendedPublicKey(first.bip32), key.depth == 1 else { return 0 }
        return key.parentFingerprint
    }
}

/// An ICON transaction for another machine to sign, or signed by it.
///
/// The file is a JSON object with exactly these members:
///
///     {"daybook": "signing request", "version": 10, "network": "mainnet", "nid": "0x1",
///      "params": {…}, "signature": "…"}
package struct ICONSigningRequest: Equatable, Sendable {
    /// The network of the wallet.
    package let network: Network
    /// The transaction, without its signature.
    package let transaction: ICONTransaction
    /// The signature; nil before signing.
    package private(set) var signature: ICONSignature?

    /// The largest file that is read; a transaction's data may have half a megabyte.
    package static let maximumSize = 1 << 20

    /// A request to sign a transaction.
    package init(_ transaction: ICONTransaction, on network: Network) {
        self.transaction = transaction
        self.network = network
    }

    /// Returns the request with a signature, if it is the sender's.
    package func signed(by signature: ICONSignature) -> ICONSigningRequest? {
        guard transaction.isSigned(by: signature) else { return nil }
        var copy = self
        copy.signature = signature
        return copy
    }

    /// Nil for a file that is no JSON object, or is one with a PSBT, as nodes answer.
    init?(file content: Bytes) throws(SigningRequestError) {
        let content = Text.trimmed(Text.ofFile(content))
        guard content.first == UInt8(ascii: "{") else { return nil }
        guard let json = try? JSON.parse(content), let members = json.objectValue else {
            throw .json("it is no JSON object")
        }
        if json["psbt"] != nil || json["result"] != nil { return nil }
        guard content.count <= Self.maximumSize else { throw .json("it is larger than 1 MiB") }
        guard Text.equal(json["daybook"]?.stringValue ?? "", Self.kind) else {
            throw .json("it does not say that it is one")
        }
        guard let number = json["version"]?.intValue.flatMap({ UInt64(exactly: $0) }) else {
            throw .json("it names no version")
        }
        try FormatNumber.signingRequest.check(number, orThrow: SigningRequestError.unknownFormat)
        let names = ["daybook", "version", "network", "nid", "params", "signature"]
        if let other = members.first(where: { member in
            !names.contains { Text.equal($0, member.name) }
        }) {
            throw .json("it has a member \(Text.escaped(String(other.name.prefix(64))))")
        }
        guard let network = json["network"]?.stringValue.flatMap(Network.init) else {
            throw .json("its network is not known")
        }
        guard let params = json["params"] else { throw .json("it has no params") }
        let transaction: ICONTransaction
        do throws(ICONFieldError) {
            transaction = try ICONTransaction(params: params)
        } catch {
            throw .parameter(Text.escaped(String(error.key.prefix(64))))
        }
        guard params["signature"] == nil else { throw .parameter("signature") }
        guard Text.equal(json["nid"]?.stringValue ?? "", ICONInteger.text(transaction.nid)) else {
            throw .json("its nid is not that of its params")
        }
        self.init(transaction, on: network)
        guard let text = json["signature"] else { return }
        guard let signature = text.stringValue.flatMap({ ICONSignature(base64: $0) }),
            let signed = signed(by: signature)
        else { throw .json("its signature is not the sender's") }
        self = signed
    }

    var file: Bytes {
        let json = JSON.record([
            "daybook": .string(Self.kind),
            "version": .int(FormatNumber.signingRequest.current),
            "network": .string(network.rawValue),
            "nid": .string(ICONInteger.text(transaction.nid)), "params": transaction.params,
            "signature": signature.map { .string($0.base64) },
        ])
        return Bytes((json.text(pretty: true) + "\n").utf8)
    }

    private static let kind = "signing request"
}
