import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let open = Command(
        "open", "URL", count: 1...1, does: """
            receive a request that another app sent
            With - as URL, each line of standard input is a URL. Quote the URL: it contains &.
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

    /// Far above the limit of a request, so that one that is too long is recorded and refused.
    private static let longestLine = 1 << 20

    private static func receive(
        _ text: [UInt8], _ invocation: Invocation, _ store: Store
    ) async throws -> ExitStatus {
        try offer(try await store.receive(text), invocation)
    }

    static let bump = Command(
        "bump", "N", count: 1...1, does: """
            speed up the unconfirmed payment of request N by a child that pays for it (CPFP)
            The child spends an output of the payment to your wallet, and pays the rest back to
            you. It is a separate request: approve it like any other.
            """, changes: true
    ) { invocation, store in
        try offer(try await store.bump(try invocation.id(at: 0, "N")), invocation)
    }

    static let cancel = Command(
        "cancel", "N", count: 1...1, does: """
            replace the payment of request N, which no node has, by one to yourself
            It spends a coin of the payment, so that only one of the two can be executed. It is a
            separate request: approve it like any other.
            """, changes: true
    ) { invocation, store in
        try offer(try await store.cancel(try invocation.id(at: 0, "N")), invocation)
    }

    /// Shows a new request, and how to decide it.
    private static func offer(
        _ request: WalletRequest, _ invocation: Invocation
    ) throws -> ExitStatus {
        let failure = request.failure
        try invocation.console.result(try request.json(failure: failure), request.text)
        if let failure {
            try invocation.console.note(
                "daybook: \(invocation.name): \(failure.message) (\(failure.code))")
            return failure.status
        }
        if let problem = request.prompt?.problem {
            try invocation.console.text(
                "it can't be approved as it stands: \(problem)\n"
                    + "fix that and see it again with daybook pending, or daybook reject "
                    + "\(request.id)")
        } else if request.status == .pending {
            let amount = request.prompt?.isAmountMissing == true ? " --amount A" : ""
            try invocation.console.text(
                "decide: daybook approve \(request.id)\(amount), or daybook reject \(request.id)")
        }
        return .done
    }

    static let pending = Command(
        "pending", does: """
            list the requests that wait for you, then the payments in flight
            A payment is in flight if it is signed and not yet in a block: either no node has
            accepted it, with the reason and what you can do, or it is sent and not final.
            """
    ) { invocation, store in
        let requests = try await store.pending()
        for request in requests {
            try invocation.console.result(try request.json(), request.text + "\n")
        }
        if requests.isEmpty { try invocation.console.text("nothing waits for you") }
        let payments = try await store.inFlight()
        if !payments.isEmpty { try invocation.console.text("\nin flight:") }
        for payment in payments {
            try invocation.console.result(try payment.json, payment.text)
        }
        return .done
    }

    static let show = Command(
        "show", "N", count: 1...1, does: """
            show request N with its whole history
            For a payment, also its state on the chain, why a node did not accept it, and what you
            can do.
            """
    ) { invocation, store in
        let id: RequestID = try invocation.id(at: 0, "N")
        let request = try await store.request(id)
        var events: [LogEvent] = []
        try await EventPages(request: id).each(of: store) { events.append($0) }
        try invocation.console.result(
            try request.json(events: events),
            try ([request.text, ""] + events.map { try $0.text }).joined(separator: "\n"))
        return .done
    }

    static let prompt = Command(
        "prompt", "N", count: 1...1, does: """
            show what `approve N` would ask, with the digest that `approve --shown` takes
            Nothing is recorded.
            """,
        options: [
            Option("--wallet", "W", "as for this wallet, by id or label"),
            amountOption, coinsOption,
        ]
    ) { invocation, store in
        let id: RequestID = try invocation.id(at: 0, "N")
        let wallet = try await WalletName.findIfNamed(invocation.value("--wallet"), store)?.id
        let choice = try PaymentChoice(invocation)
        let prompt = try await store.prompt(
            for: id, wallet: wallet, amount: choice.amount, coins: choice.coins)
        let columns = Terminal.columns(of: 1) ?? 80
        try invocation.console.result(
            .record(["request": .int(id), "prompt": prompt.json]),
            "request \(id) asks:\n" + prompt.text(columns: columns) + "\n"
                + Console.table([("digest", prompt.digest.description)], whole: ["digest"]))
        return .done
    }
}
