package import DaybookChains
import DaybookCrypto
package import DaybookEncoding

extension Decider {
    /// Decides on the keystore's signatures: they count only if each one verifies.
    func sign(_ data: SignatureMade, _ input: Event, in state: State) -> [Outcome] {
        guard let id = input.request, let row = state.request(id), row.status == .approved,
            let request = row.request, let prepared = row.prepared
        else { return [] }
        let known = state.verified?.signed(prepared, on: request.chain, with: data.signatures)
        guard let signed = known
            ?? Signing.finish(prepared, on: request.chain, with: data.signatures)
        else {
            return fail(request, id, because: Refusal(.signingFailed), in: state)
        }
        let outcome = Outcome(.transactionSigned(signed), request: id)
        guard case .sign = request.action, let signature = data.signatures.first else {
            // Another request signed the same transaction: one transaction can't answer two
            // requests.
            if let owner = state.wallet(prepared.wallet)?.wallet,
                isTaken(signed.txid, owner, in: state)
            {
                return fail(request, id, because: Refusal(.signingFailed), in: state)
            }
            return [outcome]
        }
        return [outcome]
            + callback(.signature(Base64.encode(signature)), to: request, id: id, in: state)
    }

    /// Decides on a node's answer to a broadcast; after an unknown answer the same bytes are sent
    /// again.
    func settle(_ data: BroadcastAnswered, _ input: Event, in state: State) -> [Outcome] {
        guard let id = input.request, let row = state.request(id), row.status == .signed,
            let request = row.request, let txid = row.txid
        else { return [] }
        switch data.answer {
        case .unknown: return []
        // A transaction that is confirmed or locked stays sent, whatever this node answers.
        case .refused where !state.isSettled(row):
            return fail(request, id, because: Refusal(data.refusal ?? .refusedByNode), in: state)
                + descendants(of: txid, in: state)
        case .accepted, .refused:
            let sent = Outcome(.transactionSent(TransactionSent(txid: txid)), request: id)
            let hasFailed = data.refusal == .failedOnChain
                || state.transaction(of: row)?.isFailed == true
            if hasFailed {
                let reply = Reply.refused(Refusal(.failedOnChain))
                return [sent] + callback(reply, to: request, id: id, in: state)
            }
            return state.awaitsLock(row) ? [sent] : [sent] + tell(row, id, in: state)
        }
    }

    /// The callback that tells the caller that the request's transaction was sent.
    func tell(_ row: RequestRow, _ id: RequestID, in state: State) -> [Outcome] {
        guard let request = row.request, let txid = row.txid,
            let reply = request.reply(sending: txid, signed: row.proof)
        else { return [] }
        return callback(reply, to: request, id: id, in: state)
    }

    /// Fails a request whose key is missing or damaged.
    ///
    /// An approved request fails at once. A pending one fails only where its protocol has a code
    /// for it: another copy of the key may turn up.
    func fail(_ code: Refusal.Code, _ input: Event, in state: State) -> [Outcome] {
        let refusal = Refusal(code)
        guard let id = input.request, let row = state.request(id), let request = row.request,
            row.status == .approved
                || (row.status == .pending && self.code(of: refusal, request) != nil)
        else { return [] }
        return fail(request, id, because: refusal, in: state)
    }

    /// Ends our payments that spend outputs of a dropped transaction, and their descendants.
    func descendants(of txid: Bytes, in state: State) -> [Outcome] {
        var outcomes: [Outcome] = []
        var parents = [txid]
        var ended: Set<RequestID> = []
        while let parent = parents.popLast() {
            let spending = state.requests(spending: parent)
            // A payment's coin is reserved for its cancellation, so the payment is found through
            // that.
            let others = spending.compactMap { state.payment(cancelledBy: $0, spending: parent) }
            for id in spending + others where ended.insert(id).inserted {
                guard let row = state.request(id), state.transaction(of: row)?.height == nil
                else { continue }
                if let own = row.txid { parents.append(own) }
                outcomes += end(row, id, in: state)
            }
        }
        return outcomes
    }

    /// Ends a payment that no block will have: it fails if its caller still waits, else it is
    /// dropped.
    ///
    /// A caller who was told that the payment was sent gets no second callback.
    func end(_ row: RequestRow, _ id: RequestID, in state: State) -> [Outcome] {
        guard let request = row.request else { return [] }
        switch row.status {
        case .approved, .signed, .sent:
            return fail(request, id, because: Refusal(.refusedByNode), in: state)
        case .completed:
            guard let wallet = row.wallet, let txid = row.txid else { return [] }
            let dropped = TransactionDropped(wallet: wallet, txid: txid)
            return [Outcome(.transactionDropped(dropped), request: id)]
        case .received, .deferred, .pending, .refused, .coalesced, .rejected, .expired, .failed,
            .cancelled:
            return []
        }
    }

    func fail(
        _ request: Request, _ id: RequestID, because refusal: Refusal, in state: State
    ) -> [Outcome] {
        let failed = TransactionFailed(
            refusal: refusal, protocolCode: code(of: refusal, request))
        return [Outcome(.transactionFailed(failed), request: id)]
            + callback(.refused(refusal), to: request, id: id, in: state)
    }
}

/// A transaction with signatures, each of which was verified under its recorded key.
///
/// Verifying takes long, and needs no state: it is done before the turn in which the signatures are
/// recorded, which only compares.
package struct VerifiedSignatures: Sendable {
    /// The transaction that was signed.
    package let prepared: TransactionPrepared
    /// Its signatures.
    package let signatures: [Bytes]
    private let chain: Chain
    private let signed: TransactionSigned

    /// Verifies signatures; nil unless each one is valid.
    package init?(
        of prepared: TransactionPrepared, on chain: Chain, _ signatures: [Bytes]
    ) {
        guard let signed = Signing.finish(prepared, on: chain, with: signatures) else { return nil }
        (self.prepared, self.chain) = (prepared, chain)
        (self.signatures, self.signed) = (signatures, signed)
    }

    /// The signed transaction, if the very same was verified.
    package func signed(
        _ prepared: TransactionPrepared, on chain: Chain, with signatures: [Bytes]
    ) -> TransactionSigned? {
        prepared == self.prepared && chain == self.chain && signatures == self.signatures
            ? signed : nil
    }
}

/// Puts signatures into prepared transactions.
package enum Signing {
    /// Returns the signed transaction; nil unless every signature verifies under its recorded key.
    package static func finish(
        _ prepared: TransactionPrepared, on chain: Chain, with signatures: [Bytes]
    ) -> TransactionSigned? {
        guard signatures.count == prepared.inputs.count else { return nil }
        return chain.rules.ledger == .accounts
            ? finishICON(prepared, signatures) : finishUTXO(prepared, signatures)
    }

    private static func finishICON(
        _ prepared: TransactionPrepared, _ signatures: [Bytes]
    ) -> TransactionSigned? {
        guard let params = try? JSON.parse(prepared.bytes),
            let transaction = try? ICONTransaction(params: params),
            let recoverable = signatures.first.flatMap({ RecoverableSignature($0) }),
            transaction.hash == prepared.inputs.first?.digest
        else { return nil }
        let signature = ICONSignature(recoverable)
        guard transaction.isSigned(by: signature) else { return nil }
        let bytes = Bytes(transaction.signed(by: signature).text().utf8)
        return TransactionSigned(txid: transaction.hash, bytes: bytes)
    }

    private static func finishUTXO(
        _ prepared: TransactionPrepared, _ signatures: [Bytes]
    ) -> TransactionSigned? {
        guard let transaction = try? UTXOTransaction.parse(prepared.bytes) else { return nil }
        var spent: [UTXOTransaction.Output] = []
        var made: [UnsignedTransaction.Signature] = []
        for (input, bytes) in zip(prepared.inputs, signatures) {
            guard let key = PublicKey(input.publicKey), let amount = input.amount,
                let signature = ECDSASignature(compact: bytes)
            else { return nil }
            let script = Script.p2pkh(Hash160.hash(key.compressed))
            spent.append(UTXOTransaction.Output(amount: amount, script: script.bytes))
            made.append(UnsignedTransaction.Signature(signature, by: key))
        }
        guard let unsigned = UnsignedTransaction(transaction, spending: spent),
            unsigned.digests == prepared.inputs.map(\.digest),
            let signed = try? unsigned.signed(with: made)
        else { return nil }
        let txid = signed.txid.displayed
        return TransactionSigned(txid: txid, bytes: signed.serialized())
    }
}
