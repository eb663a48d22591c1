import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding

/// The steps of a request that sends or signs a transaction.
extension Report {
    func writeTransactionStep(_ event: Event, _ page: inout Markup) {
        switch event.payload {
        case .transactionPrepared(let data): write(data, &page)
        case .signatureMade(let data):
            let count = data.signatures.count
            say("Signed", " by the keystore: \(count == 1 ? "1 key" : "\(count) inputs")", &page)
        case .signatureFailed(let data):
            say("Not signed", ": ", &page)
            page.excerpt(data.reason)
        case .transactionSigned(let data):
            say("The signatures hold", ": the transaction is ready", &page)
            write(data, &page)
        case .broadcastAnswered(let data): write(data, &page)
        case .transactionSent: say("Sent", ": the network has it", &page)
        case .transactionFailed(let data): end("Failed", data.refusal, data.protocolCode, &page)
        case .transactionLocked: say("Final", ": InstantSend or a ChainLock holds it", &page)
        case .transactionConfirmed(let data):
            say("In a block", " at height \(data.height)", &page)
            if let failure = data.failure {
                page.text(", but it was run without success: ")
                page.excerpt(failure)
            }
        case .transactionReorganised:
            say("Out of its block again", ": the chain was reorganised", &page)
        case .transactionDropped: say("Dropped", ": the network will never have it", &page)
        default: page.element(.b, type(of: event.payload.data).type)
        }
    }

    private func write(_ data: TransactionPrepared, _ page: inout Markup) {
        say("Prepared", ": \(Self.size(data.bytes)) to be signed, paid by ", &page)
        link(wallet: data.wallet, &page)
        let row = survey.state.wallets[data.wallet]
        let isICON = row?.wallet.chain == .icon
        let fee = DecimalAmount.format(data.fee, decimals: isICON ? 18 : Duffs.decimals)
        page.text(", for a fee of \(isICON ? "at most " : "")\(fee)")
    }

    private func write(_ data: TransactionSigned, _ page: inout Markup) {
        page.element(.dl) { page in
            page.pair("txid") { $0.code(Hex.encode(data.txid)) }
            page.pair("bytes") { page in
                page.text("\(Self.size(data.bytes)), SHA-256 ")
                page.code(Hex.encode(SHA256.hash(data.bytes)))
            }
        }
    }

    private func write(_ data: BroadcastAnswered, _ page: inout Markup) {
        switch data.answer {
        case .accepted: say("The node took it", "", &page)
        case .refused: say("The node refused it", "", &page)
        case .unknown: say("No node took it yet", "", &page)
        }
        if let reason = NodeReason(data) { page.text(": \(reason.sentence)") }
        if let code = data.code { page.text("; code \(code)") }
        if let message = data.message {
            page.text(", in the log as ")
            page.excerpt(message)
        }
    }

    private static func size(_ bytes: Bytes) -> String { "\(bytes.count) bytes" }
}
