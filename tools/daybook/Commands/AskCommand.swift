import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let ask = Command(
        "ask", "[N]", count: 0...1, does: """
            wait for requests and ask about each on this terminal; with N only about request N
            Yes asks for the passphrase, again if it is wrong, signs and sends; no rejects; anything
            else leaves the request waiting. Ctrl-C or Ctrl-D ends it.
            """,
        options: [
            Option("--open", nil, "give due callbacks to their programs; with N, wait for Enter"),
        ] + Secrets.passphraseOptions, lists: ["N": CompletedList.requests.rawValue], changes: true
    ) { invocation, store in
        guard Secrets.isInteractive else {
            throw CommandFailure("terminalMissing", .usage, "it asks on a terminal only")
        }
        guard invocation.arguments.isEmpty else {
            let id: RequestID = try invocation.id(at: 0, "N")
            defer { waitForEnter(invocation) }
            do {
                _ = try await decide(try await store.request(id), invocation, store)
                return .done
            } catch {
                // The terminal may close with the program.
                let failure = error as? CommandFailure ?? CommandFailure(explaining: error)
                try invocation.console.note("\(failure.message) (\(failure.code))")
                return failure.status
            }
        }
        var asked: [RequestID] = []
        try invocation.console.note("waiting for requests; Ctrl-C ends it")
        while let request = try await next(of: store, besides: asked) {
            asked.append(request.id)
            do {
                if try await !decide(request, invocation, store) { return .done }
            } catch let error as DaybookError {
                // The next request may go better.
                try invocation.console.note(
                    "\(Text.escaped(error.message)) (\(error.code.rawValue))")
            }
        }
        return .done
    }

    /// Waits until a request waits for the user, besides those that were asked about.
    ///
    /// Nil if the store has ended.
    private static func next(
        of store: Store, besides asked: [RequestID]
    ) async throws -> WalletRequest? {
        // They begin before the list is read, so that nothing is missed between the two.
        let changes = store.changes()
        func waiting() async throws -> WalletRequest? {
            try await store.pending().first { !asked.contains($0.id) }
        }
        if let found = try await waiting() { return found }
        for try await change in changes {
            guard change.changes.contains(where: { $0.what == .request }) else { continue }
            if let found = try await waiting() { return found }
        }
        return nil
    }

    /// Asks about a request and does what the user says; false if there are no more answers.
    private static func decide(
        _ request: WalletRequest, _ invocation: Invocation, _ store: Store
    ) async throws -> Bool {
        let id = request.id
        var prompt = try await store.prompt(for: id)
        try show(prompt, of: id, "asks", invocation)
        var choice = try PaymentChoice(amount: nil, coins: [])
        if prompt.isAmountMissing {
            guard let text = try answer("amount or all, or nothing for later: ", invocation) else {
                return false
            }
            if text.isEmpty { return true }
            choice = try PaymentChoice(amount: text, coins: [])
            prompt = try await store.prompt(
                for: id, amount: choice.amount, coins: choice.coins)
            try show(prompt, of: id, "asks", invocation)
        }
        let lockout = try await lockout(of: request.wallet, prompt, store)
        if let lockout { try invocation.console.note(lockout) }
        let question: TerminalText = prompt.problem == nil && lockout == nil
            ? "approve? [y/n/later] " : "it can't be approved as it stands; reject? [n/later] "
        guard let word = try answer(question, invocation) else { return false }
        switch word {
        case "y", "Y", "yes":
            let isApproved = try await approve(
                prompt, of: request, choice, invocation, store: store)
            guard isApproved else {
                try invocation.console.note("request \(id) still waits")
                return true
            }
        case "n", "N", "no":
            let rejected = try await store.reject(id)
            try invocation.console.result(try rejected.json(), rejected.text)
        default:
            try invocation.console.note("request \(id) still waits")
            return true
        }
        try await openCallback(of: id, invocation, store)
        return true
    }

    /// Approves a request, and asks again after a wrong passphrase; false after an empty one.
    private static func approve(
        _ prompt: PromptText, of request: WalletRequest, _ choice: PaymentChoice,
        _ invocation: Invocation, store: Store
    ) async throws -> Bool {
        while true {
            let typed = needsPassphrase(prompt) ? try self.typed(invocation) : nil
            if typed?.count == 0 { return false }
            do {
                try await approve(
                    prompt, of: request.id, with: choice, unlockedBy: typed, invocation, store)
                return true
            } catch let error as DaybookError {
                guard error.code == .wrongPassphrase, !Secrets.isPassphraseInFile(invocation)
                else { throw error }
                try invocation.console.note(
                    "\(Text.escaped(error.message)); try again, or Enter for later")
            }
            if let lockout = try await lockout(of: request.wallet, prompt, store) {
                try invocation.console.note(lockout)
                return false
            }
        }
    }

    private static func approve(
        _ prompt: PromptText, of id: RequestID, with choice: PaymentChoice,
        unlockedBy typed: WipedBytes?, _ invocation: Invocation, _ store: Store
    ) async throws {
        defer { ProgressLine.clear() }
        let approved = try await store.approve(
            id, shown: prompt, amount: choice.amount, coins: choice.coins,
            unlockedBy: typed.map { Passphrase($0) }, progress: ProgressLine.ofApproval)
        ProgressLine.clear()
        _ = try report(approved, invocation)
    }

    private static func typed(_ invocation: Invocation) throws -> WipedBytes {
        var bytes = try Secrets.passphrase(invocation)
        defer { Secrets.wipe(&bytes) }
        return WipedBytes(copying: bytes)
    }

    /// Says that no passphrase of a wallet is tried now; nil if one would be, or if none is needed.
    private static func lockout(
        of wallet: WalletID?, _ prompt: PromptText, _ store: Store
    ) async throws -> TerminalText? {
        guard let wallet, needsPassphrase(prompt) else { return nil }
        do {
            try await store.checkGuesses(of: wallet)
            return nil
        } catch {
            guard error.code == .lockedOut else { throw error }
            return "\(Text.escaped(error.message))"
        }
    }

    private static func openCallback(
        of id: RequestID, _ invocation: Invocation, _ store: Store
    ) async throws {
        guard invocation.has("--open") else { return }
        if let unopened = try await CallbackOpener.openDue(of: id, store) {
            try invocation.console.note(unopened.note)
        }
    }

    /// The next line of the terminal; nil at the end of input.
    private static func answer(
        _ question: TerminalText, _ invocation: Invocation
    ) throws -> String? {
        try invocation.console.ask(question)
        return try StandardStreams.readLine(limit: 256).map { Text.utf8String($0) ?? "" }
    }

    private static func waitForEnter(_ invocation: Invocation) {
        guard invocation.has("--open") else { return }
        // Without a terminal there is nobody to wait for.
        _ = try? answer("press Enter to close ", invocation)
    }
}
