import Daybook
import DaybookCommands
import DaybookEncoding
import DaybookPage
import DaybookSystem

extension Command {
    static let witnessServe = Command(
        "witness serve", does: """
            be a witness of other logs until SIGTERM: cosign what continues what was cosigned
            FILE has the witness's own key, which is made where there is none: keep it, and copy it
            to no other witness. A log's KEY is what its `daybook checkpoint` prints, once for each
            log. FOLDER keeps the last checkpoint of each log; a fork is refused and said on
            standard error. Run it on a machine that those who keep the log can't change.
            """,
        options: [
            Option("--key", "FILE", "the file of the witness's key"),
            Option("--log", "KEY", "cosign the log with this key", repeatable: true),
            Option(
                "--listen", "HOST:PORT",
                "an address of this machine; else a free port of 127.0.0.1"),
            Option("--state", "FOLDER", "where the checkpoints are kept; else FILE.state"),
        ], changes: true
    ) { invocation in
        guard let file = invocation.value("--key") else {
            throw CommandFailure.usage("whose key cosigns? --key FILE")
        }
        let logs = invocation.values("--log").map(Self.key)
        guard !logs.isEmpty else { throw CommandFailure.usage("which logs? --log KEY") }
        let witness = try Witness(
            keyFile: file, logs: logs, folder: invocation.value("--state") ?? file + ".state")
        let lines = LineQueue(to: StandardStreams.Output.error.rawValue)
        let server = try WitnessServer(
            witness, at: invocation.value("--listen") ?? "127.0.0.1:0"
        ) { reason in lines.add("daybook: witness: \(Text.onOneLine(reason))") }
        try await StopSignals.cancelling {
            try invocation.console.result(
                .record(["url": .string(server.address), "key": .string(witness.key)]),
                "serving at \(server.address)\nkey: \(witness.key)")
            while !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
            await server.stop()
            await lines.finish(within: 1)
        }
        return .done
    }

    /// The key without the word before which `daybook checkpoint` prints it.
    private static func key(_ text: String) -> String {
        let word = "key: "
        return Text.begins(text, with: word) ? String(text.dropFirst(word.count)) : text
    }
}
