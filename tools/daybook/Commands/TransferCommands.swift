import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let export = Command(
        "export", "FILE", count: 1...1, does: """
            write the log, or a part of it, to a new file
            FILE ends in .daybook, .jsonl, .csv, .journal, .ledger or .bean, or --format names the
            format; - is standard output, with the summary on standard error. All but the first two
            are books: the movements of the wallets, for tax programs and bookkeeping.
            """,
        options: [
            Option("--format", "FORMAT", "daybook, jsonl, csv, hledger, ledger, beancount"),
            Option("--from", "N", "from event N on"),
            Option("--to", "N", "up to event N"),
            Option("--request", "N", "only events of request N"),
            Option("--wallet", "W", "only events of this wallet, by id or label"),
            Option("--force", nil, "replace FILE if it exists"),
        ]
    ) { invocation, store in
        let format: ExportFileFormat? = try invocation.value("--format").map {
            try WordChoice.named($0, for: "--format")
        }
        let wallet = try await WalletName.findIfNamed(invocation.value("--wallet"), store)
        let selection = LogSelection(
            from: try invocation.number("--from"), to: try invocation.number("--to"),
            request: try invocation.id("--request"), wallet: wallet?.id)
        let path = invocation.arguments[0]
        defer { ProgressLine.clear() }
        guard path == "-" else {
            let summary = try await store.export(
                selection, to: path, as: format, replacing: invocation.has("--force"),
                progress: ProgressLine.ofWork("export"))
            ProgressLine.clear()
            try invocation.console.result(summary.json, summary.text)
            return .done
        }
        guard let format else {
            throw CommandFailure.usage("- has no extension: --format says what to write")
        }
        // Beside an export that the terminal shows, a line that is overwritten would be in its way.
        let progress = Terminal.isTerminal(1) ? nil : ProgressLine.ofWork("export")
        let summary = try await store.export(selection, as: format, progress: progress) { bytes in
            try StandardStreams.write(bytes, to: .output)
        }
        ProgressLine.clear()
        try invocation.console.aside(summary.json, summary.text)
        return .done
    }

    /// A statement is printed or written to a file as its bytes are.
    static let statement = Command(
        .statementShow,
        options: [
            Option("--out", "FILE", "write it to the new FILE; .html, .csv and .json say how"),
            Option("--force", nil, "replace FILE if it exists"),
        ]
    ) { invocation, store in
        let asked = try await AskedStatement(
            try invocation.arguments(for: .statementShow), store)
        guard let path = invocation.value("--out") else {
            if invocation.console.isJSON {
                try invocation.console.result(asked.statement.json, "")
            } else {
                let content = asked.statement.content(as: asked.format ?? .text)
                try StandardStreams.write(content, to: .output)
            }
            return .done
        }
        if !invocation.has("--force"), try Files.exists(path) {
            throw CommandFailure("fileExists", .refused, quoting: "\(path) exists already")
        }
        let format = asked.format ?? StatementFormat.allCases.first { path.hasSuffix(".\($0)") }
        let content = asked.statement.content(as: format ?? .text)
        try Files.writeAtomically(path, content, mode: 0o600)
        try invocation.console.result(
            asked.statement.json, "wrote \(path): \(content.count) bytes")
        return .done
    }

    static let archive = Command(
        "archive", does: """
            write the events that an archive lacks into it, as files that never change
            The archive is a folder of exports; `daybook-replay` reads it as a whole log. A
            checkpoint is made first, so that the last event is one. With --keep, the log drops
            what the archive has, but for its last events, and reads it there from then on.
            """,
        options: [
            Option("--to", "DIR", "the archive's folder; made if it is missing"),
            Option("--events", "N", "the most events of a file; default 100000"),
            Option("--keep", "N", "drop archived events from the log, but keep the last N"),
        ]
    ) { invocation, store in
        guard let folder = invocation.value("--to") else {
            throw CommandFailure.usage("where is the archive? --to DIR")
        }
        defer { ProgressLine.clear() }
        let done = try await store.archive(
            to: folder, segmentsOf: try invocation.number("--events") ?? 100_000,
            keeping: try invocation.number("--keep"), progress: ProgressLine.ofWork("archive"))
        ProgressLine.clear()
        try invocation.console.result(
            .record([
                "events": .int(done.events),
                "segments": .array(done.segments.map { .string($0) }),
                "removed": .int(done.removed),
            ]),
            done.text)
        return .done
    }

}

extension ArchiveSummary {
    fileprivate var text: TerminalText {
        let written: TerminalText =
            "wrote \(segments.count) segments; the archive has \(events) events"
        return removed == 0 ? written : written + ", and it alone has the first \(removed)"
    }
}

extension ExportSummary {
    fileprivate var json: JSON {
        .record(["events": .int(events), "root": .string(root), "bytes": .int(bytes)])
    }

    fileprivate var text: TerminalText {
        "\(events) events in \(bytes) bytes; the log's root is \(root)"
    }
}

extension Command {
    static let `import` = Command(
        "import", "FILE", count: 1...1, does: """
            append the events of an exported log that the store lacks
            The store has no events, or an earlier part of the same log. FILE is a .daybook or
            .jsonl export, or the folder of an archive, and is verified first: every event is
            decided again, and one that does not follow is refused with its position. Nothing is
            sent.
            """, changes: true
    ) { invocation, store in
        defer { ProgressLine.clear() }
        let summary = try await store.import(
            from: invocation.arguments[0], progress: ProgressLine.ofWork("import"))
        ProgressLine.clear()
        try invocation.console.result(summary.json, summary.text)
        return .done
    }
}

extension ImportSummary {
    fileprivate var json: JSON {
        .record([
            "events": .int(events), "root": .string(root), "status": .string(status.rawValue),
            "added": .int(added), "notChecked": .int(notChecked),
        ])
    }

    fileprivate var text: TerminalText {
        if notChecked == 0 { return outcome }
        return outcome + "\nnot checked: \(notChecked) events are of types that are unknown here"
    }

    private var outcome: TerminalText {
        switch status {
        case .restored: "restored a log of \(events) events; its root is \(root)"
        case .continued: "added \(added) events; the log has \(events) and the root \(root)"
        case .unchanged: "the log has all of it; it has \(events) events and the root \(root)"
        }
    }
}
