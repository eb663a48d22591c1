import Daybook
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let open = Command(
        "open", "URL", count: 1...1, does: """
            receive a request that another app sent
            With - as URL, each line of standard input is one. Quote the URL: it is full of &.
            """, changes: true
    ) { invocation, store in
        let url = invocation.bytes(at: 0)
        guard url == [UInt8(ascii: "-")] else {
            return try await receive(url, invocation, store)
        }
        var status = ExitStatus.done
        while let line = try StandardStreams.readLine(limit: longestLine) {
            if line.isEmpty { continue }
            if try await receive(line, invocation, store) != .done { status = .refused }
        }
        return status
    }

    /// Far more than a request may have, so that an overlong one is refused and recorded as such.
    private static let longestLine = 1 << 20

    private static func receive(
        _ text: [UInt8], _ invocation: Invocation, _ store: Store
    ) async throws -> ExitStatus {
        let request = try await store.receive(text)
        let failure = request.failure
        try invocation.console.result(try request.json(failure: failure), request.text)
        if let failure {
            try invocation.console.note(
                "daybook: \(invocation.name): \(failure.message) (\(failure.code))")
            return failure.status
        }
        if request.status == .pending {
            let amount = request.prompt?.isAmountMissing == true ? " --amount A" : ""
            try invocation.console.text(
                "decide: daybook approve \(request.id)\(amount), or daybook reject \(request.id)")
        }
        return .done
    }

    static let pending = Command("pending", does: "list the requests that wait for you") {
        invocation, store in
        let requests = try await store.pending()
        for request in requests {
            try invocation.console.result(try request.json(), request.text + "\n")
        }
        if requests.isEmpty { try invocation.console.text("nothing waits for you") }
        return .done
    }

    static let show = Command(
        "show", "N", count: 1...1, does: "show request N with its whole history"
    ) { invocation, store in
        let id = try invocation.number(at: 0, "N")
        let request = try await store.request(id)
        var events: [LogEvent] = []
        try await EventPages(request: id).each(of: store) { events.append($0) }
        try invocation.console.result(
            try request.json(events: events),
            try ([request.text, ""] + events.map { try $0.text }).joined(separator: "\n"))
        return .done
    }
}
