import DaybookChains
import DaybookCrypto
import DaybookDomain
public import DaybookEncoding
import DaybookSigner

/// The terms of a signing request, computed from the file alone on the machine with the key.
public struct SigningTerms: Equatable, Sendable {
    /// The wallet whose key would sign.
    public let wallet: WalletID
    /// All that the user must see, in the form of a prompt.
    public let prompt: PromptText
    fileprivate let terms: Terms
    /// When they were computed; a timestamp in the file is compared with it.
    fileprivate let time: UInt64
}

// MARK: - On the machine with the watch-only wallet

extension Store {
    /// Makes a signing request for another machine, instead of unlocking the wallet here.
    ///
    /// For Dash and Axe the file is a PSBT (BIP 174) with the whole previous transactions, for ICON
    /// it is JSON. The request stays pending, nothing is recorded and no coin is reserved: if
    /// another payment spends the same coins, the signatures are refused.
    ///
    /// - Throws: as `approve`, and `nothingToSign` for a request without a transaction.
    public func signingRequest(
        for id: RequestID, shown digest: PromptDigest, wallet: WalletID? = nil,
        amount: MinorAmount? = nil, coins: ChosenCoins = .automatic
    ) async throws(DaybookError) -> [UInt8] {
        let plan = try await planOffline(id, wallet)
        return try await convertingErrors {
            let proposal = try await compared(
                Approval(
                    request: id, wallet: plan.wallet, prompt: digest.bytes,
                    amount: try amount?.entered(),
                    coins: try coins.recorded(), isUnlocked: true))
            if let refusal = proposal.refusal { throw DaybookError(refusal) }
            guard let prepared = proposal.prepared, proposal.terms != nil else {
                throw DaybookError(Refusal(.promptChanged))
            }
            guard plan.row.chain.rules.ledger == .outputs else {
                let transaction = try ICONTransaction(params: try JSON.parse(prepared.bytes))
                return SigningRequest.icon(.init(transaction, on: plan.row.network)).file
            }
            let previous = try await previousTransactions(of: prepared, proposal)
            return SigningRequest.payment(try psbt(of: prepared, previous, plan.row)).file
        }
    }

    /// Makes a signing request for the prompt that was shown; otherwise as with its digest.
    public func signingRequest(
        for id: RequestID, shown prompt: PromptText, wallet: WalletID? = nil,
        amount: MinorAmount? = nil, coins: ChosenCoins = .automatic
    ) async throws(DaybookError) -> [UInt8] {
        try await signingRequest(
            for: id, shown: prompt.digest, wallet: wallet, amount: amount, coins: coins)
    }

    /// Approves a request as shown, with signatures from another machine, and sends it.
    ///
    /// The file must hold the transaction that this approval leads to now, and its signatures must
    /// verify. The rest is as in `approve(_:shown:wallet:amount:coins:unlockedBy:)`.
    ///
    /// - Throws: as `approve`, and `notASigningRequest`, `signedDiffers`, `notSigned`,
    ///   `nothingToSign`.
    @discardableResult
    public func approve(
        _ id: RequestID, shown digest: PromptDigest, wallet: WalletID? = nil,
        amount: MinorAmount? = nil, coins: ChosenCoins = .automatic, signed file: [UInt8]
    ) async throws(DaybookError) -> WalletRequest {
        let signed = try Self.read(file)
        let plan = try await planOffline(id, wallet)
        activeRequests.begin(id)
        defer { activeRequests.end(id) }
        return try await convertingErrors {
            let approval = Approval(
                request: id, wallet: plan.wallet, prompt: digest.bytes,
                    amount: try amount?.entered(),
                coins: try coins.recorded(), isUnlocked: true,
                began: plan.takesTimeOfApproval ? signed.timestamp : nil)
            try await record(approval) { proposal, _ in
                guard let prepared = proposal.prepared else { return [] }
                return try Self.signatures(in: signed, for: prepared)
            }
            return try await finish(plan, id)
        }
    }

    /// Approves the prompt that was shown, with signatures; otherwise as with its digest.
    @discardableResult
    public func approve(
        _ id: RequestID, shown prompt: PromptText, wallet: WalletID? = nil,
        amount: MinorAmount? = nil, coins: ChosenCoins = .automatic, signed file: [UInt8]
    ) async throws(DaybookError) -> WalletRequest {
        try await approve(
            id, shown: prompt.digest, wallet: wallet, amount: amount, coins: coins, signed: file)
    }

    private func planOffline(
        _ id: RequestID, _ wallet: WalletID?
    ) async throws(DaybookError) -> Plan {
        let plan = try await convertingErrors {
            try await journal.readCurrent { state, _ in try Plan(for: id, wallet, in: state) }
        }
        guard plan.status == .pending else { throw DaybookError(Refusal(.alreadyDecided)) }
        guard plan.makesTransaction else {
            throw DaybookError(
                "nothingToSign", .usage,
                "the request asks for no transaction: approve it where its wallet is")
        }
        try await convertingErrors { try await ask(plan, id) }
        return plan
    }

    /// A PSBT of a prepared payment, with its previous transactions and the paths of its keys.
    private func psbt(
        of prepared: TransactionPrepared, _ previous: [UTXOTransaction], _ wallet: WalletAdded
    ) throws -> PSBT {
        let material = wallet.material
        func origin(_ path: DerivationPath) -> KeyOrigin {
            KeyOrigin(masterFingerprint: material.masterFingerprint, path: path)
        }
        var psbt = PSBT(try UTXOTransaction.parse(prepared.bytes))
        psbt.setChainID(ChainID(wallet.chain, wallet.network))
        for (index, input) in prepared.inputs.enumerated() {
            guard let txid = input.outpoint?.txid,
                let made = previous.first(where: { $0.txid == txid })
            else {
                throw DaybookError(
                    "nodeAnswerWrong", .node, "the transaction that made a coin is missing")
            }
            psbt.add(previous: made.serialized(), ofInput: index)
            guard let path = DerivationPath(input.path), let key = material.publicKey(at: path)
            else { continue }
            psbt.add(origin(path), of: key, ofInput: index)
        }
        guard let path = prepared.changePath.flatMap({ DerivationPath($0) }),
            let key = material.publicKey(at: path)
        else { return psbt }
        let script = Script.p2pkh(Hash160.hash(key.compressed)).bytes
        // A wallet of one key may also pay itself: its last output with this script is the change.
        if let index = psbt.transaction.outputs.lastIndex(where: { $0.script == script }) {
            psbt.add(origin(path), of: key, ofOutput: index)
        }
        return psbt
    }

    private static func signatures(
        in signed: SigningRequest, for prepared: TransactionPrepared
    ) throws -> [Bytes] {
        let differs = DaybookError(
            "signedDiffers", .refused,
            "what was signed is not what this approval comes to now: coins or the fee changed;"
                + " write a new signing request")
        switch signed {
        case .payment(let psbt):
            guard psbt.transaction.serialized() == prepared.bytes else { throw differs }
            do {
                return try psbt.signatures().map(\.signature.compact)
            } catch {
                throw DaybookError("notSigned", .refused, error.description)
            }
        case .icon(let request):
            guard request.transaction.hash == prepared.inputs.first?.digest else { throw differs }
            guard let signature = request.signature else {
                throw DaybookError("notSigned", .refused, "the file has no signature")
            }
            return [signature.signature.bytes]
        }
    }
}

// MARK: - On the machine with the key

extension Store {
    /// The terms of a signing request, computed from the file and the wallet's public keys.
    ///
    /// `wallet` is needed only if several wallets could sign.
    ///
    /// The lines end with the warnings that a prompt would show: of the fee, the coins, the change
    /// and the time. A fee above the bound for payments is refused.
    ///
    /// - Throws: `notASigningRequest`, `wrongWallet`, `cannotBeShown`, `keyMismatch`, `feeTooHigh`.
    public func terms(
        of file: [UInt8], wallet: WalletID? = nil
    ) throws(DaybookError) -> SigningTerms {
        try terms(of: file, wallet: wallet, at: clock())
    }

    private func terms(
        of file: [UInt8], wallet: WalletID?, at time: UInt64
    ) throws(DaybookError) -> SigningTerms {
        let request = try Self.read(file)
        return try convertingErrors {
            try journal.read { state in
                let candidates = state.wallets().filter { wallet == nil || $0.id == wallet }
                var found: [SigningTerms] = []
                var problem: SigningRequestError?
                for (id, row) in candidates {
                    let terms: Terms
                    do throws(SigningRequestError) {
                        terms = try request.terms(for: row.wallet.material)
                    } catch {
                        // A problem of a wallet that could sign says more than `otherWallet`.
                        if problem == nil || problem == .otherWallet { problem = error }
                        continue
                    }
                    try keys.check(row.wallet, id)
                    found.append(try Self.shown(terms, id, row.wallet, at: time, in: state))
                }
                guard found.count < 2 else {
                    throw DaybookError(
                        "wrongWallet", .refused, "several wallets could sign: name one of them")
                }
                guard let terms = found.first else {
                    throw DaybookError(problem ?? .otherWallet)
                }
                return terms
            }
        }
    }

    /// Signs a signing request whose terms were shown, and returns the file with the signatures.
    ///
    /// - Throws: `termsChanged`, `wrongPassphrase`, `lockedOut`, `signingRefused`, and what
    ///   `terms(of:wallet:)` throws.
    public func sign(
        _ file: [UInt8], shown: SigningTerms, unlockedBy passphrase: consuming Passphrase
    ) async throws(DaybookError) -> [UInt8] {
        let request = try Self.read(file)
        guard try terms(of: file, wallet: shown.wallet, at: shown.time) == shown else {
            throw DaybookError(
                "termsChanged", .refused, "the file is no longer what was shown")
        }
        return try await convertingErrors {
            let key = try await openKey(of: shown.wallet, with: passphrase)
            return try await Self.signed(request, under: shown.terms, by: key).file
        }
    }

    @concurrent private static func signed(
        _ request: SigningRequest, under terms: Terms, by key: OpenedKey
    ) async throws -> SigningRequest {
        try request.signed(under: terms, by: key.signer)
    }

    private static func shown(
        _ terms: Terms, _ id: WalletID, _ wallet: WalletAdded, at time: UInt64, in state: State
    ) throws -> SigningTerms {
        guard var content = terms.content() else { throw DaybookError(Refusal(.cannotBeShown)) }
        var context = TermsContext()
        (context.time, context.timeName) = (time, "this was shown")
        if case .payment(let payment) = terms, let change = payment.farChange {
            context.knowsChange = state.hasDerived(change.path, of: id)
        }
        terms.warn(context, &content)
        content.details.append(ShownLine("wallet", id.description))
        if let label = wallet.label { content.details.append(.escaping("label", label)) }
        return SigningTerms(
            wallet: id,
            prompt: PromptText(
                content, left: nil, expires: nil, digest: PromptDigest(Prompt(content).digest)),
            terms: terms, time: time)
    }

    private static func read(_ file: [UInt8]) throws(DaybookError) -> SigningRequest {
        do {
            return try SigningRequest(file: file)
        } catch {
            throw DaybookError(error)
        }
    }
}

extension DaybookError {
    fileprivate init(_ error: SigningRequestError) {
        let code: Code = switch error {
        case .otherWallet: "wrongWallet"
        case .feeTooHigh: "feeTooHigh"
        case .unknownFormat(let error) where error.isOfDevelopment: .developmentVersion
        case .psbt, .json, .unknownFormat, .parameter, .foreignInput, .recipients, .changes,
            .falseChange, .noAddress:
            "notASigningRequest"
        }
        self.init(code, .refused, error.description)
    }
}

extension SigningRequest {
    /// The timestamp of an ICON transaction.
    fileprivate var timestamp: UInt64? {
        if case .icon(let request) = self { request.transaction.timestamp } else { nil }
    }
}
