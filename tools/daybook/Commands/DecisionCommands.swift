import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let approve = Command(
        .requestApprove,
        options: [
            Option("--offline", "FILE", "only write a signing request to the new FILE"),
            Option("--signed", "FILE", "take the signatures from FILE, instead of a passphrase"),
            Option("--yes", nil, "do not ask again"),
        ]
    ) { invocation, store in
        let place = try SigningFile.Place(invocation)
        let given = try await DecisionChoice(
            try invocation.arguments(for: .requestApprove), store)
        let (id, wallet, choice) = (given.request, given.wallet, given.payment)
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

    static func show(
        _ prompt: PromptText, of id: RequestID, _ words: String, _ invocation: Invocation
    ) throws {
        try invocation.console.note(
            "request \(id) \(words):\n" + prompt.text(columns: Terminal.columns(of: 2) ?? 80))
    }

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
    static func needsPassphrase(_ prompt: PromptText) -> Bool { prompt["method"] != "bind" }

    private static func passphrase(
        for prompt: PromptText, _ invocation: Invocation
    ) throws -> Passphrase? {
        guard needsPassphrase(prompt) else { return nil }
        var bytes = try Secrets.passphrase(invocation)
        return Passphrase(wiping: &bytes)
    }

    static func report(_ request: WalletRequest, _ invocation: Invocation) throws -> ExitStatus {
        try invocation.show(
            MethodAnswer(
                request, failing: request.failureAfterApproval, of: invocation.name))
    }
}

extension WalletRequest {
    /// Whether its transaction exists and may still have to be sent.
    fileprivate var isSignedOrSent: Bool { status == .signed || status == .sent }
}
