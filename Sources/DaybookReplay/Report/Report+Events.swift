import DaybookDomain
import DaybookEncoding
import DaybookLog

extension Report {
    /// How many events a part of the page has: a whole subtree, whose hash is a node of the tree.
    private static let batch = 256
    /// A longer log is listed without the events' data, so that a browser can open the page.
    private static let mostWithData: UInt64 = 20_000

    func writeEvents(_ page: inout Markup, reading records: Records) throws {
        writeProof(&page)
        var batch: [EventRecord] = []
        try records { record in
            batch.append(record)
            guard batch.count == Self.batch else { return }
            try write(batch, &page)
            batch.removeAll(keepingCapacity: true)
        }
        if !batch.isEmpty { try write(batch, &page) }
    }

    private func writeProof(_ page: inout Markup) {
        page.element(.p) { page in
            page.text("Every event of the log, in order, with its leaf hash: SHA-256 of a zero "
                + "byte and the event's bytes. The Merkle tree of RFC 6962 over these ")
            page.text("\(index.events) leaves has the root ")
            page.element(.code, [.id(.root)], Hex.encode(index.root))
            page.text(": whoever trusts this root, because a signed checkpoint has it too, can "
                + "check from this page alone that no event was changed, left out or added. ")
            page.text(
                showsData
                    ? "Long values are cut; " : "So many events stand here without their data; ")
            page.element(.code, "daybook log --json")
            page.text(showsData ? " has them whole." : " has it.")
        }
        page.element(.p) { page in
            page.text("A leaf hash, clicked, shows its proof: the hashes that lead from it to the "
                + "root. Each goes to the left or right of what is there so far, and SHA-256 of a "
                + "byte of value one and both is what is there next. Beside each batch of events "
                + "stands its node of the tree. ")
            page.element(.code, "daybook prove N")
            page.text(" gives event N's bytes and proof as a file that stands for itself.")
        }
        page.element(.noscript) { page in
            page.element(
                .p, "Scripts do not run here, so the page can't put proofs together. All hashes "
                    + "that they are made of are on it.")
        }
    }

    private func write(_ batch: [EventRecord], _ page: inout Markup) throws {
        guard let first = batch.first, let last = batch.last else { return }
        var tree = TreeFold()
        let leaves = batch.map { tree.add(leaf: $0.bytes) }
        try page.details([.style("part")]) { page in
            page.element(.h3) { page in
                page.text("Events \(first.position) to \(last.position)")
                page.element(
                    .span, [.style("quiet")],
                    " \(Timestamp.readable(first.time)) to \(Timestamp.readable(last.time))")
            }
            page.element(.code, [.style("batch")], Hex.encode(tree.root().bytes))
        } _: { page in
            try page.element(.ul, [.style("events")]) { page in
                for (record, leaf) in zip(batch, leaves) {
                    page.element(.li, [.id(.event(record.id))]) { page in
                        write(record, &page)
                        let proof = Anchor.proof(record.id)
                        page.element(
                            .a, [.style("leaf"), .id(proof), .link(to: proof)],
                            Hex.encode(leaf.bytes))
                    }
                    try page.drain()
                }
            }
        }
    }

    private func write(_ record: EventRecord, _ page: inout Markup) {
        page.element(.div) { page in
            page.text("\(record.position) ")
            page.element(.b) { $0.excerpt(record.type, longest: 128) }
            page.text(" ")
            page.time(record.time)
            if let cause = record.cause {
                page.text(", follows from ")
                link(event: Position(cause), "\(cause)", &page)
            } else {
                page.text(", brought by ")
                page.excerpt(record.actor, longest: 128)
            }
            if let request = record.requestID {
                page.text(", ")
                link(request: request, &page)
            }
        }
        if showsData { writeData(record, &page) }
    }

    private var showsData: Bool { index.events <= Self.mostWithData }

    private func writeData(_ record: EventRecord, _ page: inout Markup) {
        let values = RecordedValues.of(record.data)
        if values.isEmpty { return }
        page.element(.div, [.style("values")]) { page in
            for value in values {
                page.element(.i) { $0.excerpt(value.name, longest: 128) }
                page.text(" ")
                page.text(value.text)
                page.text(" ")
            }
        }
    }
}

/// The values in an event's data, each with its path.
enum RecordedValues {
    /// A value as people read it.
    struct Value: Equatable {
        let name: String
        let text: String
    }

    /// How many values are shown; the rest is only counted.
    static let most = 48
    /// Of a value of more bytes only the beginning is shown.
    static let longest = 160

    static func of(_ data: CBOR) -> [Value] {
        var values: [Value] = []
        var count = 0
        gather(data, at: "", &values, &count)
        if count > most {
            values.append(Value(name: "and", text: "\(count - most) more values"))
        }
        return values
    }

    private static func gather(
        _ value: CBOR, at path: String, _ values: inout [Value], _ count: inout Int
    ) {
        switch value {
        case .map(let entries):
            for entry in entries {
                let name = entry.key.textValue ?? text(entry.key)
                gather(entry.value, at: path.isEmpty ? name : "\(path).\(name)", &values, &count)
            }
        case .array(let items):
            // A pair of texts, such as a prompt's line, is a name and what it says.
            if items.count == 2, let name = items[0].textValue, let text = items[1].textValue {
                let path = "\(path.prefix { $0 != "[" }).\(name)"
                return gather(.text(text), at: path, &values, &count)
            }
            for (index, item) in items.enumerated() {
                gather(item, at: "\(path)[\(index)]", &values, &count)
            }
        default:
            count += 1
            if count <= most { values.append(Value(name: path, text: text(value, at: path))) }
        }
    }

    /// Two fields of events are times.
    private static func text(_ value: CBOR, at path: String) -> String {
        if case .unsigned(let number) = value, path == "expires" || path == "until" {
            return Timestamp.readable(number)
        }
        return text(value)
    }

    private static func text(_ value: CBOR) -> String {
        switch value {
        case .unsigned(let number): String(number)
        case .bool(let value): value ? "yes" : "no"
        case .null: "nothing"
        case .text(let text): shortened(text)
        case .bytes(let bytes): text(bytes)
        case .negative, .array, .map: value.json.text()
        }
    }

    /// Bytes that are a line of ASCII, such as a request's link, are shown as text.
    private static func text(_ bytes: Bytes) -> String {
        let isLine = !bytes.isEmpty && bytes.allSatisfy { (0x20..<0x7f).contains($0) }
        return shortened(isLine ? String(decoding: bytes, as: UTF8.self) : Hex.encode(bytes))
    }

    private static func shortened(_ text: String) -> String {
        guard text.utf8.count > longest else { return text }
        return String(text.unicodeScalars.prefix(longest / 2)) + "… (\(text.utf8.count) bytes)"
    }
}
