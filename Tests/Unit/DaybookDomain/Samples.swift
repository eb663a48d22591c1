import DaybookChains
import DaybookEncoding

@testable import DaybookDomain

/// One event of every type with every field set, and those with a choice in each of its forms.
enum Samples {
    static let txid = Bytes(repeating: 0xab, count: 32)
    static let outpoint = Outpoint(TransactionID(txid)!, 3)
    static let large = UInt256(hex: "123456789abcdef0123456789abcdef")!
    static let refusal = Refusal(.invalidParameter, parameter: "value")
    static let reserve = TransactionPrepared.Reserve(asset: "ICX", amount: large)

    static let subjects: [LabelSubject] = [
        .address("hx0502987e630ea7ebb2bf1d84a65a727109385bcf"), .transaction(txid),
        .output(outpoint), .request(7), .sender("shop"),
    ]

    static let actions: [Action] = [
        .pay(address: "X1", amount: 5, instantSend: .required),
        .pay(address: "X1", amount: nil, instantSend: .unspecified),
        .address(account: 2), .masterPublicKey(account: 7), .bind,
        .sign(parameters: .object([.init(name: "from", value: .string("hx1"))])),
        .sendICX(
            from: "hx1", to: "hx2", value: large,
            data: .init(type: "message", data: .string("0x61"))),
        .sendICX(from: "hx1", to: "hx2", value: .zero, data: nil),
        .sendToken(from: "hx1", to: "hx2", value: large, contract: "cx1"),
        .sendTransaction(parameters: .object([])), .remedy(.bump, of: 12), .remedy(.cancel, of: 13),
    ]

    static let requests = actions.map { action in
        Request(
            link: "iconex", chain: .icon, action: action,
            caller: Caller(scheme: "shop", prefix: "shop://"), reference: -1,
            notes: [.init(name: "label", text: "cafe\u{301}")], proof: .wanted)
    }

    private static var prompt: Prompt {
        var content = PromptContent()
        content.headline = "Pay 1 DASH to X1"
        content.problem = "no"
        content.warnings = [ShownLine("highFee", "The fee is high.")]
        content.amounts = [ShownLine("fee", "1", unit: "DASH")]
        content.details = [ShownLine("to", "X1"), ShownLine("wallet", "1")]
        return Prompt(content)
    }

    static let all: [Payload] = inputs + requestOutcomes + transactionOutcomes

    private static let inputs: [Payload] = [
        .sessionStarted(
            SessionStarted(
                frontEnd: "cli", engine: 1, libraries: [.init(name: "lmdb", version: "0.9")],
                settings: settings)),
        .timePassed(TimePassed()),
        .clockSet(ClockSet(from: 1_800_000_000_000_000)),
        .walletAdded(
            WalletAdded(
                chain: .icon, network: .regtest, networkID: 3, label: "a", fingerprint: "f",
                keys: .single(publicKey: [2, 3]))),
        .walletAdded(
            WalletAdded(
                chain: .dash, network: .mainnet, networkID: nil, label: nil, fingerprint: "f",
                keys: .accounts([
                    .init(number: 1, bip32: "x", bip44: "y", coinType: 5, master: 7, coinJoin: "z")
                ]), isWatchOnly: true, gap: 50)),
        .walletRenamed(WalletRenamed(wallet: 4, label: "till")),
        .walletRemoved(WalletRemoved(wallet: 4)),
        .coinFrozen(CoinFrozen(wallet: 4, coins: [outpoint])),
        .coinUnfrozen(CoinUnfrozen(wallet: 4, coins: [outpoint])),
        .labelSet(LabelSet(subjects.map { .init($0, "rent") } + [.init(.request(4), nil)])),
        .priceSet(PriceSet([.init(PriceKey("DASH", in: "EUR", at: 5), DecimalNumber("24.3")!)])),
        .priceWithdrawn(PriceWithdrawn([.init(PriceKey("DASH", in: "EUR", at: 5))])),
        .requestReceived(RequestReceived(text: [0, 255], frontEnd: "cli", key: "k")),
        .remedyRequested(RemedyRequested(remedy: .bump, payment: 4, frontEnd: "cli")),
        .decisionMade(
            DecisionMade(
                decision: .approve, prompt: txid, wallet: 1, amount: 2,
                coins: CoinChoice(named: [outpoint], isAll: true), unlocked: true, began: 3)),
        .unlockFailed(UnlockFailed(wallet: 1)),
        .chainObserved(observed), .chainObserved(healed),
        .chainUnavailable(
            ChainUnavailable(
                chain: .axe, network: .testnet, reason: "no answer", lastRead: 1_700_000_000)),
        .signatureMade(SignatureMade(signatures: [[1], [2, 3]])),
        .signatureFailed(SignatureFailed(reason: "keyMissing")),
        .broadcastAnswered(BroadcastAnswered(
                answer: .refused, code: -31000, message: "Expired", refusal: .clockOff)),
        .callbackDelivered(CallbackDelivered()),
        .checkpointMade(
            CheckpointMade(
                size: 3, root: txid, state: txid,
                projections: [.init(name: "balances", digest: txid)], streams: txid,
                key: "daybook/0+1+A=", note: [0x0a])),
        .checkpointCosigned(
            CheckpointCosigned(
                checkpoint: 3, key: "w+1+A=",
                line: Bytes(repeating: 7, count: CheckpointCosigned.lineBytes))),
        .checkpointStamped(CheckpointStamped(checkpoint: 3, token: [0x30, 0])),
    ]

    private static let requestOutcomes: [Payload] =
        requests.map { .requestDeferred(RequestDeferred(request: $0)) } + [
            .requestAccepted(
                RequestAccepted(
                    request: requests[0], prompt: prompt, digest: txid, expires: 9)),
            .requestRefused(RequestRefused(refusal: refusal, protocolCode: -3005, link: "iconex")),
            .requestCoalesced(RequestCoalesced(into: 5)), .requestRejected(RequestRejected()),
            .requestExpired(RequestExpired()),
            .requestCancelled(RequestCancelled(by: 7, wasAnswered: true)),
            .decisionRefused(DecisionRefused(refusal: refusal)),
            .unlockLocked(UnlockLocked(wallet: 1, until: 2)),
            .bindingGranted(
                BindingGranted(
                    caller: "shop", wallet: 1, kind: .masterPublicKey, values: ["a", "b"])),
            .callbackEmitted(CallbackEmitted(url: "shop://x")),
        ]

    private static let transactionOutcomes: [Payload] = [
        .paymentReceived(PaymentReceived(wallet: 1, asset: "DASH", amount: large, txid: txid)),
        .paymentMade(PaymentMade(wallet: 1, asset: "ICX", amount: large)),
        .transactionPrepared(
            TransactionPrepared(
                wallet: 1, bytes: [1],
                inputs: [
                    .init(
                        outpoint: outpoint, amount: 5, digest: txid, path: "m/0'", publicKey: [2]),
                    .init(outpoint: nil, amount: nil, digest: txid, path: "m", publicKey: [3]),
                ], changePath: "m/1/0", fee: large, reserves: [reserve])),
        .transactionSigned(TransactionSigned(txid: txid, bytes: [1])),
        .transactionSent(TransactionSent(txid: txid)),
        .transactionLocked(TransactionLocked(wallet: 1, txid: txid)),
        .transactionFailed(TransactionFailed(refusal: refusal, protocolCode: -9999)),
        .transactionConfirmed(
            TransactionConfirmed(
                wallet: 1, txid: txid, height: 8, failure: "32: reverted", spent: [reserve],
                blockTime: 1_700_000_000_000_000)),
        .transactionReorganised(TransactionReorganised(wallet: 1, txid: txid)),
        .transactionDropped(TransactionDropped(wallet: 1, txid: txid)),
    ]

    private static var settings: Settings {
        var settings = Settings()
        settings.blockedSenders = ["shop"]
        return settings
    }

    private static var observed: ChainObserved {
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        seen.height = 7
        seen.isWhole = true
        seen.tip = txid
        seen.feeRate = 1000
        seen.instantSend = false
        seen.identity = "nid 0x3"
        seen.outputs = [
            .init(
                outpoint: outpoint, script: [0x76], amount: 5, height: 6, coinbase: true,
                spentBy: txid, spentHeight: 7)
        ]
        seen.removed = [outpoint]
        seen.transactions = [
            .init(
                txid: txid, height: 7, locked: true, failure: "32: reverted", fee: large,
                isGone: true)
        ]
        seen.blocks = [.init(height: 7, time: 1_700_000_000_000_000)]
        seen.balances = [.init(address: "hx1", asset: "ICX", amount: large)]
        seen.tokens = [.init(contract: "cx1", symbol: "SBX", decimals: 18)]
        seen.iconFees = .init(price: large, transfer: 1, inputByte: 2, contractCall: 3)
        seen.estimate = 9
        seen.isFeeEstimated = false
        seen.setAside = [
            SetAside(.transaction, txid: txid, height: 7, because: "it is none"),
            SetAside(.balance, address: "hx1", because: "it is no amount"),
        ]
        return seen
    }

    /// Everything is understood again.
    private static var healed: ChainObserved {
        var seen = ChainObserved(chain: .dash, network: .sandbox)
        seen.setAside = []
        return seen
    }
}
