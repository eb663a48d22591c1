package import Daybook
package import DaybookCommands
import DaybookEncoding

/// A method: a name that front ends call, and the command that does the same.
///
/// Its parameters, their checks and its help are written here alone. The commands, the doors of
/// JSON-RPC, the Python package and the reference are made from the table.
package struct Method: Sendable {
    /// The name, such as `request.open`.
    package let name: String
    /// The command that does the same, such as `open`; nil if only programs need it.
    package let command: String?
    package let parameters: [Parameter]
    /// Its purpose: a line, and further ones for the help of the command.
    package let summary: String
    /// The types of which the result has one; none if only a command calls the method.
    package let results: [ResultType]
    /// The reference's words about the result, besides its members.
    package let note: String
    /// The notification that follows the result, if one does.
    package let notification: ResultType?
    /// The parameter that takes the `next` of a page, to give the following one; nil without pages.
    package let pages: String?
    /// Whether it changes anything.
    package let changes: Bool
    /// Whether it is about the caller's connection, and needs no log.
    let isOfConnection: Bool
    /// Performs the call and returns its answer.
    let run: @Sendable (Call) async throws -> MethodAnswer

    package init(
        _ name: String, _ parameters: [Parameter] = [], command: String? = nil,
        does summary: String, gives results: ResultType..., note: String = "",
        notifies notification: ResultType? = nil, pages: String? = nil, changes: Bool = false,
        isOfConnection: Bool = false,
        run: @escaping @Sendable (Call) async throws -> MethodAnswer
    ) {
        self.name = name
        self.command = command
        self.parameters = parameters
        self.summary = summary
        self.results = results
        self.note = note
        self.notification = notification
        self.pages = pages
        self.changes = changes
        self.isOfConnection = isOfConnection
        self.run = run
    }

    /// All methods that front ends can call, in the order in which they are documented.
    package static let all: [Method] = [
        .info,
        .walletAdd, .walletList, .walletAddress, .walletRename, .walletRemove, .walletPassphrase,
        .unlock, .lock, .coinList, .coinFreeze, .coinUnfreeze,
        .labelList, .labelSet, .labelExport, .labelImport,
        .priceList, .priceSet, .priceImport, .priceWithdraw, .gains,
        .requestOpen, .requestList, .requestShow, .requestPrompt, .requestApprove, .requestReject,
        .requestBump, .requestCancel, .paymentList,
        .balanceList, .historyList, .statementShow, .bindingList, .callbackList, .callbackDelivered,
        .sync, .nodeSet, .nodeRemove, .nodeList, .nodeCheck,
        .logRead, .logCheckpoint, .logTimestamp, .logVerify,
        .witnessAdd, .witnessList, .witnessRemove,
        .subscribe, .unsubscribe, .pageAddress,
        .sandboxFund, .sandboxMine,
    ]

    /// The method with this name.
    static func named(_ name: String) -> Method? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
}

/// A parameter of a method.
package struct Parameter: Sendable {
    package let name: String
    package let kind: Kind
    package let isRequired: Bool
    /// The words that it takes, and no others; empty if it takes any.
    package let choices: [String]
    /// Where a command line has it; nil if only programs need it.
    package let place: Place?

    /// The JSON values that a parameter takes.
    package enum Kind: String, Sendable {
        case text, number, flag, texts, object
        /// The position of an event, or -1 for the time before the first.
        case position
        /// A wallet's id, or its label.
        case wallet
        /// A decimal amount of whole coins, as text.
        case amount
        /// A text that is wiped after use; a command reads it from a file, or asks for it.
        case secret
        /// A secret that a command asks for twice.
        case newSecret
        /// A network's id, which a command line may have as `0x3`.
        case networkID
    }

    /// A place of a command line.
    package enum Place: Sendable {
        /// A word, with its placeholder.
        case word(String)
        /// A word that may be left out.
        case optionalWord(String)
        /// All words that are left, at least one.
        case words(String)
        case option(Command.Option)

        /// Reads a place as the help shows it: `W`, `[N]`, `URL...`, `--new` or `--label L`.
        init(_ form: String, _ help: String) {
            if form.hasPrefix("--") {
                let parts = form.split(separator: " ").map(String.init)
                self = .option(Command.Option(parts[0], parts.dropFirst().first, help))
            } else if form.hasPrefix("[") {
                self = .optionalWord(String(form.dropFirst().dropLast()))
            } else {
                self = form.hasSuffix("...") ? .words(form) : .word(form)
            }
        }
    }

    /// A parameter that a command line has at `form`; without one it is for programs only.
    package init(
        _ name: String, _ kind: Kind, required: Bool = true, of choices: [String] = [],
        at form: String? = nil, _ help: String = ""
    ) {
        self.name = name
        self.kind = kind
        self.choices = choices
        isRequired = required
        place = form.map { Place($0, help) }
    }

    package static func optional(
        _ name: String, _ kind: Kind, of choices: [String] = [], at form: String? = nil,
        _ help: String = ""
    ) -> Parameter {
        Parameter(name, kind, required: false, of: choices, at: form, help)
    }

    /// A wallet that a command's first word names.
    package static let wallet = Parameter("wallet", .wallet, at: "W")
    /// A request that a command's first word names.
    package static let request = Parameter("request", .number, at: "N")
    package static let newPassphrase = Parameter(
        "new", .newSecret, at: "--new-passphrase-file F",
        "read the new passphrase from F, - is standard input")
    package static let weak = Parameter.optional(
        "weak", .flag, at: "--weak", "accept a passphrase of fewer than 8 characters")

    package static func passphrase(_ kind: Kind = .secret, required: Bool = true) -> Parameter {
        Parameter(
            "passphrase", kind, required: required, at: "--passphrase-file F",
            "read the passphrase from F, - is standard input")
    }

    /// The option of a command line that gives it.
    package var option: Command.Option? {
        if case .option(let option) = place { option } else { nil }
    }

    /// The most entries of a list; a command reads as many pages as it needs.
    static func limit(_ entries: String) -> Parameter {
        .optional("limit", .number, at: "--limit N", "at most N \(entries); default 100")
    }
}

/// A call of a method: the store, the arguments, and the connection that it came by.
package struct Call: Sendable {
    /// The front of the store; nil for a call about the connection alone.
    let found: Front?
    package let arguments: Arguments
    /// Where notifications go; nil on doors without them.
    var connection: RPCConnection?
    /// The id of the call, which its `progress` notifications name.
    var id: JSON?
    var reply = CallReply()
    var door = CallDoor()

    /// Shows how far the call is; nil where nobody is told.
    var progress: (@Sendable (CallProgress) -> Void)? { door.progress }

    var front: Front {
        guard let found else { preconditionFailure("a method about a store is given its front") }
        return found
    }

    package var store: Store { front.store }

    /// Shows how much of some work is done; nil where nobody is told.
    func workProgress(_ name: String) -> WorkProgress? {
        guard let progress else { return nil }
        return { progress(.work(name, done: $0, all: $1)) }
    }
}

extension Method {
    /// Performs the call that a command line is.
    package func answer(
        on store: Store, _ arguments: Arguments, through door: CallDoor
    ) async throws -> MethodAnswer {
        try await run(Call(found: Front(of: store), arguments: arguments, door: door))
    }
}

/// The services of a call's door for the method.
package struct CallDoor: Sendable {
    /// Shows how far the call is; nil where nobody is told.
    package var progress: (@Sendable (CallProgress) -> Void)?
    /// The folder of histories, from which past states are read sooner; nil without one.
    package var history: String?
    /// Throws if the words of a new wallet could not be shown.
    package var checkWords: @Sendable () throws -> Void = {}

    package init() {}
}

/// How far a call is.
package enum CallProgress: Sendable {
    case approval(ApprovalStep)
    case sync(ChainName, NetworkName, done: Int, all: Int)
    case verifying(table: String, entries: UInt64)
    case work(String, done: UInt64, all: UInt64)

    /// The parameters of a `progress` notification.
    var json: JSON {
        switch self {
        case .approval(let step): .record(["step": .string(step.name)])
        case .sync(let chain, let network, let done, let all):
            .record([
                "chain": .string(chain.rawValue), "network": .string(network.rawValue),
                "done": .int(done), "all": .int(all),
            ])
        case .verifying(let table, let entries):
            .record(["table": .string(table), "entries": .int(entries)])
        case .work(let name, let done, let all):
            .record(["work": .string(name), "done": .int(done), "all": .int(all)])
        }
    }
}

extension RPCConnection {
    /// Sends `progress` notifications of a call.
    func progress(of id: JSON?) -> @Sendable (CallProgress) -> Void {
        { progress in
            let params = JSON.object(
                [.init(name: "id", value: id ?? .null)] + (progress.json.objectValue ?? []))
            _ = self.notify("progress", params)
        }
    }
}
