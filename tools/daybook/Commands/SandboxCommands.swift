import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding

extension Command {
    static let sandboxFund = Command(
        "sandbox fund", "W AMOUNT", count: 2...2,
        does: "pay coins of the sandbox's faucet to wallet W",
        options: [Option("--token", nil, "ICON: the sandbox's token instead of ICX")]
    ) { invocation, store in
        let wallet = try await WalletName.find(invocation.arguments[0], store)
        let decimals = wallet.chain.decimals
        let minor = try CoinAmount.parse(invocation.arguments[1], decimals: decimals)
        let isToken = invocation.has("--token")
        if isToken, wallet.chain != .icon { throw CommandFailure.usage("only ICON has tokens") }
        let id = try await store.fundFromFaucet(
            wallet.id, amount: minor.decimal, token: isToken)
        let amount = DecimalAmount.format(minor, decimals: decimals)
        let coin = isToken ? "tokens" : wallet.chain.coin
        try invocation.console.result(
            .record([
                "wallet": .int(wallet.id), "amount": .string(amount),
                "minor": .string(minor.decimal), "txid": .string(id),
            ]),
            "wallet \(wallet.id) got \(amount) \(coin) (sandbox) by \(id)")
        return .done
    }

    static let sandboxMine = Command(
        "sandbox mine", "[N]", count: 0...1, does: "mine N blocks (1) on every sandbox chain in use"
    ) { invocation, store in
        let isGiven = !invocation.arguments.isEmpty
        let count = isGiven ? Int(clamping: try invocation.number(at: 0, "N")) : 1
        try await store.mine(count)
        return try await tips(store, invocation, "mined", blocks: count)
    }

    static let sandboxReorganise = Command(
        "sandbox reorganise", "CHAIN N", count: 2...2,
        does: "replace the last N blocks of a sandbox chain by others"
    ) { invocation, store in
        let chain = try chain(invocation.arguments[0])
        let depth = Int(clamping: try invocation.number(at: 1, "N"))
        try await store.reorganise(chain, depth: depth)
        return try await tips(store, invocation, "replaced", blocks: depth)
    }

    static let sandboxFault = Command(
        "sandbox fault", "CHAIN FAULT [CODE MESSAGE]", count: 2...4, does: """
            make a sandbox chain misbehave, for tests
            FAULT is none, silent (answers nothing), lose-next (the next transaction does not
            arrive, then it is silent), lose-next-answer, withhold-locks (InstantSend), or
            refuse-next with the code and message of the refusal.
            """
    ) { invocation, store in
        let chain = try chain(invocation.arguments[0])
        let fault = try fault(invocation.arguments)
        try await store.setFault(fault, on: chain)
        try invocation.console.result(
            .record([
                "chain": .string(chain.rawValue), "fault": .string(invocation.arguments[1]),
            ]),
            "the \(chain.rawValue) sandbox now does: \(invocation.arguments[1])")
        return .done
    }

    private static func chain(_ name: String) throws(CommandFailure) -> ChainName {
        guard let chain = ChainName(rawValue: name) else {
            throw .usage("the chains are dash, axe and icon")
        }
        return chain
    }

    private static func fault(_ words: [String]) throws(CommandFailure) -> Store.Fault {
        if words[1] == "refuse-next" {
            guard words.count == 4, let code = Int(words[2]) else {
                throw .usage("refuse-next takes a code and a message")
            }
            return .refuseNext(code: code, message: words[3])
        }
        guard words.count == 2 else { throw .usage("only refuse-next takes more words") }
        switch words[1] {
        case "none": return .none
        case "silent": return .silent
        case "lose-next": return .loseNext
        case "lose-next-answer": return .loseNextAnswer
        case "withhold-locks": return .withholdLocks
        default:
            throw .usage(
                "the faults are none, silent, lose-next, lose-next-answer, withhold-locks,"
                    + " refuse-next")
        }
    }

    private static func tips(
        _ store: Store, _ invocation: Invocation, _ done: TerminalText, blocks count: Int
    ) async throws -> ExitStatus {
        let tips = try await store.tips()
        let blocks: TerminalText = count == 1 ? "1 block" : "\(count) blocks"
        try invocation.console.result(
            .record(["tips": tips.json]),
            (["\(done) \(blocks)"] + tips.map { "\($0.chain) is at block \($0.height)" })
                .joined(separator: "\n"))
        return .done
    }
}
