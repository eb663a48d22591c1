import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding

extension Command {
    static let sandboxFault = Command(
        "sandbox fault", "CHAIN FAULT [CODE MESSAGE]", count: 2...4, does: """
            make a sandbox chain misbehave, for tests
            FAULT is none, silent (answers nothing), lose-next (the next transaction does not
            arrive, then it is silent), lose-next-answer, withhold-locks (InstantSend), or
            refuse-next with the code and message of the refusal.
            """
    ) { invocation, store in
        let chain: ChainName = try WordChoice.named(invocation.arguments[0], for: "CHAIN")
        let fault = try fault(invocation.arguments)
        try await store.setFault(fault, on: chain)
        try invocation.console.result(
            .record([
                "chain": .string(chain.rawValue), "fault": .string(invocation.arguments[1]),
            ]),
            "the \(chain.rawValue) sandbox now does: \(invocation.arguments[1])")
        return .done
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
}
