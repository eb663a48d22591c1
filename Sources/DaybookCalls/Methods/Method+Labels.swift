package import Daybook
package import DaybookCommands
package import DaybookEncoding

extension Method {
    package static let labelList = Method(
        "label.list",
        [.optional("about", .text, at: "[ABOUT]"), .optional("after", .text), .optional(
            "limit", .number)],
        command: "label",
        does: """
            show labels, or with TEXT give one to a thing
            ABOUT is wallet:N, address:A, tx:TXID, output:TXID:N, request:N or sender:NAME. An empty
            TEXT takes the label away. A wallet's is the one that `wallet rename` gives.
            """,
        gives: .list("Labels", "labels", of: Label.resultType, .optional("next", .text)),
        note: "`about` as of the command, with which only this thing's label is given, or null",
        pages: "after"
    ) { call in
        if let target = try call.arguments.labelTarget("about") {
            let label = Label(about: target, text: try await call.store.label(of: target))
            return MethodAnswer(labels: [label])
        }
        let page = try await call.store.labels(
            after: try call.arguments.labelTarget("after"), limit: try call.arguments.pageSize())
        return MethodAnswer(
            labels: page.labels, next: page.next.map { .string($0.description) })
    }

    package static let labelSet = Method(
        "label.set",
        [Parameter("about", .text, at: "ABOUT"), .optional("label", .text, at: "TEXT")],
        does: "give a label to a thing, or take it away",
        gives: Label.resultType, note: "an empty `label`, or none, takes it away", changes: true
    ) { call in
        let label = Label(
            about: try LabelTarget(call.arguments.text("about") ?? ""),
            text: call.arguments.text("label"))
        try await call.store.set([label])
        return MethodAnswer(label.json) {
            let text = label.text.map { "is now \(Text.escaped($0))" } ?? "has no label"
            return "\(label.about.description) \(text)"
        }
    }

    package static let labelExport = Method(
        "label.export", [], command: "label export",
        does: """
            write the labels to FILE, as other wallets read them (BIP 329)
            FILE is new, or - for standard output. A request's label goes with its transaction.
            """,
        gives: ResultType("LabelFile", adding: LabelTransfer.resultType, [.init("file", .text)]),
        note: """
            how many labels are in the text `file`, and how many the format has no place for
            """
    ) { call in
        let (file, summary) = try await call.store.exportLabels()
        let text = JSON.string(String(decoding: file, as: UTF8.self))
        return MethodAnswer(
            .object((summary.json.objectValue ?? []) + [.init(name: "file", value: text)])
        ) { summary.text(" are written") }
    }

    package static let labelImport = Method(
        "label.import", [Parameter("file", .text, at: "FILE")], command: "label import",
        does: """
            take in the labels of FILE, which another wallet wrote (BIP 329)
            All are taken in, or after an error none. Lines about what this store does not have,
            or does not label, are counted.
            """,
        gives: LabelTransfer.resultType,
        note: """
            how many of the lines in the text `file` gave labels, and how many did not
            """, changes: true
    ) { call in
        let file = Array((call.arguments.text("file") ?? "").utf8)
        let summary = try await call.store.importLabels(file)
        return MethodAnswer(summary.json) { summary.text(" are taken in") }
    }
}

extension MethodAnswer {
    /// A list of labels, which a command prints as a table.
    fileprivate init(labels: [Label], next: JSON? = nil) {
        self.init("labels", labels.map(\.json), next: next, empty: "no labels yet") {
            Console.columns(
                [["about", "label"]]
                    + labels.map { [$0.about.description, Text.escaped($0.text ?? "")] })
        }
    }
}

extension Arguments {
    /// The thing that a parameter names, which can have a label.
    fileprivate func labelTarget(_ name: String) throws -> LabelTarget? {
        try text(name).map { try LabelTarget($0) }
    }
}

extension Label {
    fileprivate static let resultType = ResultType(
        "Label",
        [
            .init("about", .text, "such as `tx:TXID`, `wallet:4` or `sender:shop`"),
            .init("label", .orNull(.text)),
        ])

    /// The label as an object.
    fileprivate var json: JSON {
        .record([
            "about": .string(about.description), "label": text.map(JSON.string) ?? .null,
        ])
    }
}

extension LabelTransfer {
    fileprivate static let resultType = ResultType(
        "LabelTransfer", [.init("labels", .number), .init("passedOver", .number)])

    /// The counts as an object.
    package var json: JSON {
        .record(["labels": .int(labels), "passedOver": .int(passedOver)])
    }

    /// The counts in a sentence.
    package func text(_ what: String) -> TerminalText {
        let rest: TerminalText = passedOver == 0 ? "" : "; \(passedOver) are passed over"
        return "\(labels) labels\(what)" + rest
    }
}
