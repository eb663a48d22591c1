import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    /// The command of a method: its words, options and help are those of the table.
    ///
    /// `options` are those that only a terminal needs, and `run` replaces the plain call.
    init(
        _ method: Method, options: [Option] = [],
        run: (@Sendable (Invocation, Store) async throws -> ExitStatus)? = nil
    ) {
        let words = CommandWords(method.parameters)
        self.init(
            method.command ?? method.name, words.text, count: words.count, does: method.summary,
            options: method.options + options, lists: method.lists, changes: method.changes,
            store: run ?? { try await $0.perform(method, on: $1) })
    }

    /// The commands of methods between others, each group together, in the order of its first.
    ///
    /// Another command with the name of a method's replaces it.
    static func ofMethods(after first: [Command], before others: [Command]) -> [Command] {
        let ofMethods = Method.all.compactMap { method in
            method.command.map { name in others.first { $0.name == name } ?? Command(method) }
        }
        let names = ofMethods.map(\.name)
        let all = first + ofMethods + others.filter { !names.contains($0.name) }
        var groups: [String] = []
        for command in all where !groups.contains(command.group) { groups.append(command.group) }
        return groups.flatMap { group in all.filter { $0.group == group } }
    }

    /// Prints the table of methods, from which references and bindings are made.
    static let methods = Command(
        "methods", does: "list the methods that front ends call through `daybook serve`",
        options: [Option("--codes", nil, "list the codes of errors instead")]
    ) { invocation in
        if invocation.has("--codes") {
            for code in CommandFailure.codes {
                try invocation.console.result(.record(["code": .string(code)]), "\(code)")
            }
            return .done
        }
        for method in Method.all {
            try invocation.console.result(method.json, "\(method.name): \(method.line)")
        }
        return .done
    }

    /// The first word of the name.
    private var group: String { String(name.prefix { $0 != " " }) }
}

extension Command {
    static let balance = Command(.balanceList, options: [KeptHistory.option]) { invocation, store in
        guard invocation.has("--at") else {
            return try await invocation.perform(.balanceList, on: store)
        }
        return try await KeptHistory.run(invocation) { folder in
            try await invocation.perform(.balanceList, on: store, history: folder)
        }
    }

    static let callbacks = Command(
        .callbackList, options: Method.callbackDelivered.options
    ) { invocation, store in
        let method: Method = invocation.has("--delivered") ? .callbackDelivered : .callbackList
        return try await invocation.perform(method, on: store)
    }
}

/// The plain words of a command, as the help shows them.
private struct CommandWords {
    /// Such as `CHAIN NETWORK [URL]`.
    var text = ""
    var count = 0...0

    init(_ parameters: [Parameter]) {
        var needed: [String] = []
        var optional: [String] = []
        var most = 0
        for parameter in parameters {
            switch parameter.place {
            case .word(let word): needed.append(word)
            case .optionalWord(let word): optional.append(word)
            case .words(let word):
                needed.append(word)
                most = 1000
            case .option, nil: continue
            }
        }
        count = needed.count...max(most, needed.count + optional.count)
        if !optional.isEmpty { needed.append("[\(optional.joined(separator: " "))]") }
        text = needed.joined(separator: " ")
    }
}

extension Method {
    /// The method as a reference describes it.
    fileprivate var json: JSON {
        .record([
            "method": .string(name), "does": .string(line),
            "parameters": .array(
                parameters.map { parameter in
                    .record([
                        "name": .string(parameter.name), "kind": .string(parameter.kind.rawValue),
                        "required": .bool(parameter.isRequired),
                    ])
                }),
            "results": .array(results.map(\.json)), "note": .string(note),
            "notification": notification?.json, "pages": pages.map(JSON.string),
        ])
    }

    /// The first line of the summary.
    fileprivate var line: String { String(summary.prefix { $0 != "\n" }) }

    /// The lists that complete the command's words; a request's number is one of the last.
    fileprivate var lists: [String: String] {
        parameters.contains { $0.name == "request" } ? ["N": CompletedList.requests.rawValue] : [:]
    }

    /// The options of the command.
    var options: [Command.Option] {
        parameters.compactMap(\.option)
    }
}

extension ResultType {
    /// The type as a reference describes it, with the types of its members.
    fileprivate var json: JSON {
        .record([
            "type": .string(name), "base": bases.first?.json,
            "members": .array(
                members.map { member in
                    .record([
                        "name": .string(member.name), "kind": member.kind.json,
                        "required": .bool(member.isRequired), "help": .string(member.help),
                    ])
                }),
        ])
    }
}

extension ResultType.Kind {
    /// A name, or an object with the kind that this one is made of.
    fileprivate var json: JSON {
        let inner = type.first?.json ?? part.first?.json
        return inner.map { .object([.init(name: form.rawValue, value: $0)]) }
            ?? .string(form.rawValue)
    }
}

extension Invocation {
    /// Calls a method with the command's words and options, and prints its answer.
    func perform(
        _ method: Method, on store: Store, _ given: Arguments? = nil, history: String? = nil
    ) async throws -> ExitStatus {
        let arguments = try given ?? arguments(for: method)
        var door = CallDoor()
        door.progress = ProgressLine.isShown ? ProgressLine.show : nil
        door.history = history
        door.checkWords = { [console] in try console.checkWordsCanBeShown() }
        func answer(_ method: Method, _ arguments: Arguments) async throws -> MethodAnswer {
            defer { ProgressLine.clear() }
            return try await method.answer(on: store, arguments, through: door)
        }
        guard let next = method.pages else {
            return try show(try await answer(method, arguments))
        }
        let isLimited = method.parameters.contains { $0.name == "limit" && $0.place != nil }
        var left = isLimited ? Int(clamping: try number("--limit") ?? 100) : .max
        guard left > 0 else { throw CommandFailure.usage("--limit takes 1 or more") }
        var page = arguments
        var hasShown = false
        while true {
            page = page.replacing("limit", with: .int(min(left, 1000)))
            let answer = try await answer(method, page)
            left -= answer.entries?.count ?? 0
            hasShown = hasShown || answer.entries?.isEmpty == false
            // A page of a search may be short or empty although others follow.
            _ = try show(answer, isContinued: hasShown || answer.next != nil)
            guard let end = answer.next else { return .done }
            if left == 0 {
                if !console.isJSON {
                    try console.note("there are more: \(arguments.spelled(next)) \(end.text())")
                }
                return .done
            }
            page = page.replacing(next, with: end)
        }
    }

    /// The arguments of a method, whose secrets are read or asked for when they are needed.
    func arguments(for method: Method) throws -> Arguments {
        let files = method.parameters.filter { [.secret, .newSecret, .object].contains($0.kind) }
        try Secrets.checkStandardInput(self, files.compactMap(\.option?.name))
        return try Arguments(self, for: method) { parameter, isNeeded in
            try Secrets.value(of: parameter, isNeeded: isNeeded, self)
        }
    }

    /// Prints an answer; `isContinued` if it is a page of a list of which there are others.
    func show(_ answer: MethodAnswer, isContinued: Bool = false) throws -> ExitStatus {
        if let words = answer.words {
            try console.show(answer, words)
            return .done
        }
        let entries = answer.entries ?? [answer.json]
        if console.isJSON {
            for entry in entries { try console.result(entry, "") }
        } else if !entries.isEmpty {
            try console.result(.null, try answer.text())
        } else if !isContinued, let empty = answer.empty {
            try console.text(empty)
        }
        for remark in answer.remarks where !console.isJSON { try console.note(remark) }
        for note in answer.notes { try console.note(note) }
        if let error = answer.error { throw error }
        return answer.status
    }
}

extension Command {
    /// A person looks for the largest coins, a program reads page by page.
    static let coinList = Command(.coinList) { invocation, store in
        let arguments = try invocation.arguments(for: .coinList)
        let wallet = try await arguments.wallet(required: "wallet", in: store)
        var coins: [WalletCoin] = []
        var last: CoinID?
        repeat {
            let page = try await store.coins(of: wallet.id, after: last, limit: 1000)
            coins += page.coins
            last = page.next
        } while last != nil
        coins.sort { $0.amount > $1.amount }
        return try invocation.show(MethodAnswer(coins: coins, of: [wallet]))
    }
}
