import Daybook
import DaybookCommands
import DaybookEncoding

extension Method {
    static let witnessAdd = Method(
        "witness.add",
        // A parameter called `key` is a secret at every door.
        [Parameter("url", .text, at: "URL"), Parameter("witness", .text, at: "KEY")],
        command: "witness add",
        does: """
            have a witness cosign each checkpoint, so that no log can take this one's place
            URL is http:// or https://, a host, and optionally a port and a path. KEY is the
            witness's verifier key, name+hash+base64, of type 4 (Ed25519 cosignatures), as it says
            of itself. One with the same key is replaced. Nothing is asked now.
            """,
        gives: LogWitness.resultType, changes: true
    ) { call in
        let witness = try await call.store.addWitness(
            call.arguments.text("url") ?? "", key: call.arguments.text("witness") ?? "")
        var answer = MethodAnswer(witness.json) { witness.line }
        if !witness.url.hasPrefix("https://"), !witness.isOnThisMachine {
            answer.notes = [
                "note: \(Text.escaped(witness.url)) is not encrypted: others on the way can keep "
                    + "cosignatures back, and can forge none"
            ]
        }
        return answer
    }

    static let witnessList = Method(
        "witness.list", command: "witness list",
        does: "list the witnesses, what each has cosigned, and the problems of the last checkpoint",
        gives: .list("Witnesses", "witnesses", of: LogWitness.resultType),
        note: "`through` is the last position that it has cosigned"
    ) { call in
        try MethodAnswer(
            "witnesses", try await call.store.witnesses(),
            empty: "no witness is set; `daybook witness add` adds one", json: \.json, text: \.line)
    }

    static let witnessRemove = Method(
        "witness.remove", [Parameter("witness", .text, at: "KEY")], command: "witness remove",
        does: "ask the witness with this key no more; its cosignatures stay in the log",
        gives: ResultType("RemovedWitness", [.init("key", .text)]), changes: true
    ) { call in
        let key = call.arguments.text("witness") ?? ""
        try await call.store.removeWitness(key)
        return MethodAnswer(.record(["key": .string(key)])) {
            "\(Text.escaped(key)) is not asked any more"
        }
    }
}

extension LogWitness {
    static let resultType = ResultType(
        "Witness",
        [
            .init("name", .text), .init("url", .text), .init("key", .text),
            .optional("through", .number), .optional("problem", .text), .optional("code", .text),
        ])

    /// The witness as an object.
    var json: JSON {
        .record([
            "name": .string(name), "url": .string(url), "key": .string(key),
            "through": through.map { .int($0) },
            "problem": problem.map { .string(Text.onOneLine("\($0)")) },
            "code": problem.map { .string($0.code.rawValue) },
        ])
    }

    /// The witness on one line, and its problem on another.
    var line: TerminalText {
        let cover = through.map { "cosigned events 0 to \($0)" } ?? "has cosigned nothing yet"
        let line: TerminalText = "\(Text.escaped(name))  \(Text.escaped(url))  \(cover)"
        guard let problem else { return line }
        return "\(line)\n  \(Text.onOneLine("\(problem)"))"
    }
}
