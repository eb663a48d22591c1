import DaybookEncoding
import DaybookLog

extension Report {
    /// How many events stand together.
    private static let batch = 250
    /// In a longer log events stand without their data, so that the page can still be opened.
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
            page.text("\(survey.events) leaves has the root ")
            page.element(.code, Hex.encode(survey.root))
            page.text(": whoever trusts this root can check from this page alone that no event "
                + "was changed, left out or added. ")
            page.text(
                showsData
                    ? "Long values are cut; " : "So many events stand here without their data; ")
            page.element(.code, "daybook log --json")
            page.text(showsData ? " has them whole." : " has it.")
        }
    }

    private func write(_ batch: [EventRecord], _ page: inout Markup) throws {
        guard let first = batch.first, let last = batch.last else { return }
        try page.details([.style("part")]) { page in
            page.element(.h3) { page in
                page.text("Events \(first.position) to \(last.position)")
                page.element(
                    .span, [.style("quiet")],
                    " \(Moment.text(first.time)) to \(Moment.text(last.time))")
            }
        } _: { page in
            try page.element(.ul, [.style("events")]) { page in
                for record in batch {
                    page.element(.li, [.id(.event(record.position))]) { write(record, &$0) }
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
            page.moment(record.time)
            if let cause = record.cause {
                page.text(", follows from ")
                link(event: cause, "\(cause)", &page)
            } else {
                page.text(", brought by ")
                page.excerpt(record.actor, longest: 128)
            }
            if let request = record.request {
                page.text(", ")
                link(request: request, &page)
            }
        }
        if showsData { writeData(record, &page) }
        page.element(.code, [.style("leaf")], Hex.encode(EventRecord.leafHash(record.encoded())))
    }

    private var showsData: Bool { survey.events <= Self.mostWithData }

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
