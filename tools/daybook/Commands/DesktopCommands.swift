import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let desktopInstall = Command(
        "desktop install", does: """
            make the desktop open the wallets' links with `daybook desktop open`
            A link that is clicked becomes a request in the store, and a notification asks about
            it. A program that opened such links before comes second from then on. Where a path
            has a blank, the desktop gets a script without one to run, beside the entry.
            """,
        changes: true
    ) { invocation in
        let program = try Files.resolved("/proc/self/exe")
        let desktop = try Desktop()
        let (exec, choices) = try desktop.install(program, try words(invocation))
        try invocation.console.result(
            .record([
                "entry": .string(desktop.entryPath), "exec": .string(exec),
                "schemes": .array(choices.map(\.json)),
            ]),
            (["entry: \(desktop.entryPath)", "runs: \(exec)"]
                + choices.map(\.text)).joined(separator: "\n"))
        let others = choices.filter { $0.now != DesktopEntry.id }.map(\.scheme)
        if others.isEmpty { return .done }
        try invocation.console.note(
            "daybook: desktop install: the desktop still opens \(others.joined(separator: ", "))"
                + " with another program (otherProgram)")
        return .refused
    }

    static let desktopRemove = Command(
        "desktop remove", does: """
            undo `desktop install`
            The programs that opened the links before are used again.
            """,
        changes: true
    ) { invocation in
        let desktop = try Desktop()
        let choices = try desktop.remove()
        try invocation.console.result(
            .record([
                "entry": .string(desktop.entryPath), "schemes": .array(choices.map(\.json)),
            ]), choices.map(\.text).joined(separator: "\n"))
        return .done
    }

    /// The arguments before the link: they name the store, unless it is the usual one.
    private static func words(_ invocation: Invocation) throws -> [String] {
        let isUsual = !invocation.has(Home.option.name)
            && (EnvironmentVariables.value("DAYBOOK_HOME") ?? "").isEmpty
        if isUsual { return ["desktop", "open", "--"] }
        // The desktop runs the program in another folder and without these variables.
        return ["--home", try Home.resolved(invocation), "desktop", "open", "--"]
    }
}

extension Desktop.Choice {
    fileprivate var json: JSON {
        .record([
            "scheme": .string(scheme), "was": was.map { .string($0) },
            "now": now.map { .string($0) }, "list": list.map { .string($0) },
        ])
    }

    fileprivate var text: TerminalText {
        let other = was.flatMap { $0 == now ? nil : " (was \($0))" } ?? ""
        let place = list.map { ", by \($0)" } ?? ""
        return "\(scheme): \(now ?? "nobody")\(other)\(place)"
    }
}

extension Command {
    static let desktopOpen = Command(
        "desktop open", "URL", count: 1...1, does: """
            receive a link that was clicked, and ask about it by a notification
            Its buttons reject the request, or show it: on the page of a running `serve --page`, or
            in a terminal, where `ask` takes the decision. Without notifications it is shown at
            once. A due callback is given to the program that is registered for its scheme. Refused
            links and errors are shown too.
            """, changes: true
    ) { invocation in
        do {
            let store = try Home.open(invocation)
            return try await receive(invocation, store)
        } catch {
            let failure = error as? CommandFailure ?? CommandFailure(explaining: error)
            DesktopNotification.tell(failure, "Daybook could not take the link")
            throw failure
        }
    }

    private static func receive(
        _ invocation: Invocation, _ store: Store
    ) async throws -> ExitStatus {
        let request = try await store.receive(invocation.bytes(at: 0))
        let failure = request.failure
        try invocation.console.result(try request.json(failure: failure), request.text)
        if let failure {
            try await openCallback(of: request.id, invocation, store)
            DesktopNotification.tell(failure, "Daybook refused a link")
            try invocation.console.note(
                "daybook: \(invocation.name): \(failure.message) (\(failure.code))")
            return failure.status
        }
        // One that repeats another is answered with the other.
        guard request.status == .pending else { return .done }
        switch try notification(of: request).show() {
        case .chosen("reject"):
            try await openCallback(
                of: try await store.reject(request.id).id, invocation, store)
        case .closed: break
        case .chosen, .notShown: try await show(request.id, store, invocation)
        }
        return .done
    }

    private static func openCallback(
        of id: RequestID, _ invocation: Invocation, _ store: Store
    ) async throws {
        guard let unopened = try await CallbackOpener.openDue(of: id, store) else { return }
        try invocation.console.note(unopened.note)
        // Best effort: `callbacks` lists it.
        _ = try? DesktopNotification(
            title: "The answer was not delivered", facts: [("reason", unopened.reason)]).show()
    }

    private static func notification(of request: WalletRequest) -> DesktopNotification {
        let sender = request.sender.map { "\($0) (unverified)" } ?? "an app without a name"
        return DesktopNotification(
            title: "Request from \(sender)", facts: request.prompt?.notification ?? [],
            // A click on the notification itself is the action `default`.
            actions: [("default", "Show"), ("show", "Show"), ("reject", "Reject")])
    }

    /// Shows a request where the user can approve it, which takes the passphrase.
    private static func show(
        _ id: RequestID, _ store: Store, _ invocation: Invocation
    ) async throws {
        let home = try Files.resolved(try Home.path(invocation))
        // A server that gives no answer is like none: then the terminal asks.
        if let socket = try? LineDoor.usualPath(home: home),
            let page = try? await ServedPage.address(of: store, at: socket),
            try await ServedPage.open(page)
        {
            return
        }
        let words = ["--home", home, "ask", id.description, "--open"]
        if try await DesktopTerminal.start(words) { return }
        try invocation.console.note(
            "there is no terminal to ask in: daybook approve \(id), or daybook reject \(id)")
        _ = try DesktopNotification(
            title: "Request \(id) waits",
            facts: [("decide", "daybook approve \(id), or daybook reject \(id)")]).show()
    }
}

extension PromptText {
    /// The lines of a notification: the sentence, what speaks against it, and the rest.
    fileprivate var notification: [(String, String)] {
        [("asks", headline)] + (problem.map { [("problem", $0)] } ?? [])
            + warnings.map { ("warning", $0.text) } + facts
    }
}
