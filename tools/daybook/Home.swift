import Daybook
import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// The folder of the store that a command works on.
enum Home {
    static let option = Command.Option(
        "--home", "DIR", "the store; else $DAYBOOK_HOME, $XDG_DATA_HOME/daybook")

    static let store = Command.Option(
        "--store", "URL", "the log in a database, postgres://HOST/DATABASE/LOG")

    static let acceptsClock = Command.Option(
        "--accept-clock", nil, "accept this machine's clock, however far it has jumped")

    /// The name of this front end in the log.
    static let frontEnd = "daybook-cli"

    /// The folder of the store, which is made for a log in a database where it is missing.
    static func path(_ invocation: Invocation) throws -> String {
        guard let address = invocation.value(store.name) else {
            return try folder(invocation, orBelow: "daybook")
        }
        let path = try folder(
            invocation, orBelow: "daybook-logs/\(try Store.logID(ofAddress: address))")
        try Store.attach(to: address, at: path)
        return path
    }

    /// The folder that has a folder for each log of a database.
    static func ofLogs(_ invocation: Invocation) throws -> String {
        let path = try folder(invocation, orBelow: "daybook-logs")
        guard try !Files.exists(path + "/log"), try !Files.exists(path + "/log.json") else {
            throw CommandFailure.usage(
                "\(CommandFailure.quoted(path)) is the folder of one log: with --logs, --home "
                    + "or $DAYBOOK_HOME is the folder that has those of all logs")
        }
        return path
    }

    /// The folder that an option or a variable names, or the user's folder for a name.
    static func folder(
        _ invocation: Invocation, orBelow name: String
    ) throws(CommandFailure) -> String {
        if let path = invocation.value(option.name) { return path }
        if let path = EnvironmentVariables.value("DAYBOOK_HOME"), !path.isEmpty { return path }
        guard let data = UserFolder.data.path else {
            throw .usage("where is the store? give --home DIR or set DAYBOOK_HOME")
        }
        return "\(data)/\(name)"
    }

    /// The whole path of the store, for a program that is called elsewhere; the store must exist.
    static func resolved(_ invocation: Invocation) throws -> String {
        let home = try path(invocation)
        guard try Files.exists(home) else {
            throw CommandFailure(
                "storeMissing", .store,
                "there is no store at \(CommandFailure.quoted(home)); `daybook init` makes one")
        }
        return try Files.resolved(home)
    }

    static func open(_ path: String, acceptsClock: Bool = false) throws -> Store {
        try Store(opening: path, frontEnd: frontEnd, acceptsClock: acceptsClock)
    }

    /// Opens the store that a command works on.
    ///
    /// If it can only be read, a command that reads says what it does not see; one that changes
    /// something will fail, and says why.
    static func open(_ invocation: Invocation, changes: Bool = true) throws -> Store {
        let store = try open(
            try path(invocation), acceptsClock: invocation.has(acceptsClock.name))
        if store.isReadOnly, !changes {
            try invocation.console.note(
                "daybook: \(invocation.name): the store can only be read here: requests whose "
                    + "time is over still wait, and later events of others are not seen "
                    + "(storeReadOnly)")
        }
        return store
    }
}

extension UserFolder {
    /// The folder, which the environment must name.
    func needed() throws(CommandFailure) -> String {
        guard let path else { throw .usage("whose folder? set HOME, or \(rawValue)") }
        return path
    }
}

extension Command {
    /// Makes a command that works on an open store.
    init(
        _ name: String, _ arguments: String = "", count: ClosedRange<Int> = 0...0,
        does summary: String, options: [Option] = [], lists: [String: String] = [:],
        changes: Bool = false,
        store run: @escaping @Sendable (Invocation, Store) async throws -> ExitStatus
    ) {
        self.init(
            name, arguments, count: count, does: summary, options: options, lists: lists,
            changes: changes
        ) { invocation in
            try await run(invocation, try Home.open(invocation, changes: changes))
        }
    }
}
