import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let approve = Command(
        "approve", "N", count: 1...1, does: """
            approve request N: unlock the wallet, sign and send
            The request is shown again first; on a terminal you are asked once more.
            Of a wallet whose key is on another machine, --offline FILE writes what is to be
            signed there with `sign FILE`, and --signed FILE takes the result.
            """,
        options: [
            Option("--wallet", "W", "the wallet to answer with, by id or label"),
            amountOption, coinsOption,
            Option("--shown", "DIGEST", "only if the prompt still has this digest"),
            Option("--offline", "FILE", "only write a signing request to the new FILE"),
            Option("--signed", "FILE", "take the signatures from FILE, instead of a passphrase"),
            Option("--yes", nil, "do not ask again"),
            Secrets.passphraseOption,
        ], changes: true
    ) { invocation, store in
        let id: RequestID = try invocation.id(at: 0, "N")
        let place = try SigningFile.Place(invocation)
        let wallet = try await WalletName.findIfNamed(invocation.value("--wallet"), store)?.id
        let choice = try PaymentChoice(invocation)
        // Nothing is left to ask: the user has approved it, and its transaction is sent again.
        if case .here = place, try await store.request(id).isSignedOrSent {
            defer { ProgressLine.clear() }
            let sent = try await store.send(id, progress: ProgressLine.ofApproval)
            ProgressLine.clear()
            return try report(sent, invocation)
        }
        let prompt = try await store.prompt(
            for: id, wallet: wallet, amount: choice.amount, coins: choice.coins)
        if let shown = invocation.value("--shown"), PromptDigest(hex: shown) != prompt.digest {
            throw CommandFailure(
                "promptChanged", .refused, "the prompt has changed since it was shown")
        }
        try show(prompt, of: id, "asks", invocation)
        if prompt.isAmountMissing {
            throw CommandFailure(
                "amountMissing", .refused,
                "the request leaves the amount to you: --amount A, or --amount all")
        }
        switch place {
        case .offline(let path):
            let content = try await store.signingRequest(
                for: id, shown: prompt, wallet: wallet, amount: choice.amount,
                coins: choice.coins)
            try SigningFile.write(content, to: path)
            try invocation.console.result(
                .record(["request": .int(id), "file": .string(path)]),
                "wrote \(path): sign it with `daybook sign` where the key is; "
                    + "request \(id) still waits")
            return .done
        case .signed(let path):
            let content = try SigningFile.read(path)
            try confirm(invocation)
            return try report(
                try await store.approve(
                    id, shown: prompt, wallet: wallet, amount: choice.amount, coins: choice.coins,
                    signed: content),
                invocation)
        case .here:
            try confirm(invocation)
            let passphrase = try passphrase(for: prompt, invocation)
            do {
                defer { ProgressLine.clear() }
                let request = try await store.approve(
                    id, shown: prompt, wallet: wallet, amount: choice.amount, coins: choice.coins,
                    unlockedBy: passphrase, progress: ProgressLine.ofApproval)
                ProgressLine.clear()
                for node in await store.nodesPassedOver() {
                    try invocation.console.note(node.passedOverText)
                }
                return try report(request, invocation)
            } catch let error as DaybookError where error.code == .promptChanged {
                let changed = try await store.prompt(
                    for: id, wallet: wallet, amount: choice.amount, coins: choice.coins)
                try show(changed, of: id, "now asks", invocation)
                throw error
            }
        }
    }

    static let reject = Command(
        "reject", "[N]", count: 0...1, does: """
            reject request N, or all pending requests of a sender
            `settings blockedSenders NAMES` blocks senders.
            """,
        options: [
            Option("--sender", "S", "instead of N: all pending requests of this sender ('': none)")
        ], changes: true
    ) { invocation, store in
        if let sender = invocation.value("--sender") {
            guard invocation.arguments.isEmpty else {
                throw CommandFailure.usage("give a request or --sender, not both")
            }
            for request in try await store.rejectAll(from: sender.isEmpty ? nil : sender) {
                try invocation.console.result(try request.json(), request.text + "\n")
            }
            return .done
        }
        guard !invocation.arguments.isEmpty else {
            throw CommandFailure.usage("which request? give N or --sender S")
        }
        let request = try await store.reject(try invocation.id(at: 0, "N"))
        try invocation.console.result(try request.json(), request.text)
        return .done
    }

    static func show(
        _ prompt: PromptText, of id: RequestID, _ words: String, _ invocation: Invocation
    ) throws {
        try invocation.console.note(
            "request \(id) \(words):\n" + prompt.text(columns: Terminal.columns(of: 2) ?? 80))
    }

    /// The options of a payment that `approve` and `prompt` share.
    static let amountOption = Option(
        "--amount", "A", "the amount in coins, or all, if the request leaves it to you")
    static let coinsOption = Option(
        "--coins", "A,B", "spend these coins, all of them and no others (see coin list)")

    static func confirm(
        _ invocation: Invocation, _ question: String = "approve?",
        otherwise refusal: String = "nothing was approved; the request still waits"
    ) throws {
        guard Secrets.isInteractive, !invocation.has("--yes") else { return }
        try invocation.console.ask("\(question) [y/N] ")
        let answer = try StandardStreams.readLine(limit: 256).flatMap(Text.utf8String) ?? ""
        guard ["y", "Y", "yes"].contains(answer) else {
            throw CommandFailure("notApproved", .refused, refusal)
        }
    }

    /// `bind` gives only an address, which is not secret; everything else needs the key.
    static func passphrase(
        for prompt: PromptText, _ invocation: Invocation
    ) throws -> Passphrase? {
        if prompt["method"] == "bind" { return nil }
        var bytes = try Secrets.passphrase(invocation)
        return Passphrase(wiping: &bytes)
    }

    static func report(_ request: WalletRequest, _ invocation: Invocation) throws
        -> ExitStatus
    {
        let failure = request.failureAfterApproval
        try invocation.console.result(try request.json(failure: failure), request.text)
        guard let failure else { return .done }
        try invocation.console.note(
            "daybook: \(invocation.name): \(failure.message) (\(failure.code))")
        return failure.status
    }
}

extension WalletRequest {
    /// Whether its transaction exists and may still have to be sent.
    fileprivate var isSignedOrSent: Bool { status == .signed || status == .sent }
}

extension PaymentChoice {
    /// The amount and the coins that a command line names.
    init(_ invocation: Invocation) throws(CommandFailure) {
        let coins = invocation.value("--coins").map { text in
            text.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
        }
        try self.init(amount: invocation.value("--amount"), coins: coins ?? [])
    }
}
