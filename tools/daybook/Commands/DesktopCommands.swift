import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let desktopInstall = Command(
        "desktop install", does: """
            make the desktop open the wallets' links with `daybook open`
            A link that is clicked becomes a request in the store, which waits for `approve` or
            `reject`. A program that opened such links before comes second from then on.
            """,
        changes: true
    ) { invocation in
        let program = try Files.resolved("/proc/self/exe")
        let entry = try DesktopEntry(program: program, try words(invocation))
        let desktop = try Desktop()
        let choices = try desktop.install(entry)
        try invocation.console.result(
            .record([
                "entry": .string(desktop.entryPath), "exec": .string(entry.exec),
                "schemes": .array(choices.map(\.json)),
            ]),
            (["entry: \(desktop.entryPath)", "runs: \(entry.exec)"]
                + choices.map(\.text)).joined(separator: "\n"))
        return .done
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
        if isUsual { return ["open", "--"] }
        // The desktop runs the program in another folder and without these variables.
        let home = try Home.path(invocation)
        guard try Files.exists(home) else {
            throw CommandFailure(
                "storeMissing", .store, "there is no store at \(CommandFailure.quoted(home))")
        }
        return ["--home", try Files.resolved(home), "open", "--"]
    }
}

extension Desktop.Choice {
    fileprivate var json: JSON {
        .record([
            "scheme": .string(scheme), "was": was.map { .string($0) },
            "now": now.map { .string($0) },
        ])
    }

    fileprivate var text: TerminalText {
        let other = was.flatMap { $0 == now ? nil : " (was \($0))" } ?? ""
        return "\(scheme): \(now ?? "nobody")\(other)"
    }
}
