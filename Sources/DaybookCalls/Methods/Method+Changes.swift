package import Daybook
import DaybookCommands
package import DaybookEncoding

extension Method {
    static let subscribe = Method(
        "subscribe", [.optional("after", .position)],
        does: "send what changes after an event, or from now on, as `changed` notifications",
        gives: ResultType(
            "Subscription", [.init("subscription", .number), .init("position", .number)]),
        note: "then `changed` notifications", notifies: StoreChange.resultType
    ) { call in
        guard let connection = call.connection else {
            throw CommandFailure.usage("this door has no notifications: use its own way of changes")
        }
        let number = try connection.newSubscription()
        try call.front.use?.subscribe()
        let count = Position(try await call.store.info().events)
        let next = call.arguments.next(after: "after") ?? count
        guard next <= count else {
            throw CommandFailure(
                "unknownPosition", .refused, "the log has only \(count) events")
        }
        // The subscriber gets its number before the first notification names it.
        call.reply.afterwards { connection.begin(number, of: call.front, from: next) }
        return MethodAnswer(
            .record([
                "subscription": .int(number), "position": next.beforeJSON,
            ]))
    }

    static let unsubscribe = Method(
        "unsubscribe", [Parameter("subscription", .number)],
        does: "end a subscription",
        gives: ResultType("EndedSubscription", [.init("subscription", .number)]),
        isOfConnection: true
    ) { call in
        let number = call.arguments.number("subscription") ?? 0
        guard call.connection?.end(number) == true else {
            throw CommandFailure(
                "unknownSubscription", .refused, "this connection has no such subscription")
        }
        return MethodAnswer(.record(["subscription": .int(number)]))
    }
}

extension Position {
    /// The position before this one; -1 before the first event.
    package var beforeJSON: JSON { number == 0 ? .int(-1) : .int(number - 1) }
}

extension StoreChange {
    static let resultType = ResultType(
        "Change",
        [
            .init("subscription", .number),
            .init("position", .number, "the last event that the changes follow from"),
            .init("changes", .list(.object(Change.resultType))),
        ])

    /// The parameters of a `changed` notification, for a subscription if there is one.
    package func json(of subscription: UInt64? = nil) -> JSON {
        .record([
            "subscription": subscription.map { .int($0) }, "position": .int(position),
            "changes": .array(
                changes.map { change in
                    .record([
                        "what": .string(change.what.rawValue),
                        "request": change.request.map { .int($0) },
                        "wallet": change.wallet.map { .int($0) },
                    ])
                }),
        ])
    }
}

extension StoreChange.Change {
    fileprivate static let resultType = ResultType(
        "Changed",
        [
            .init(
                "what", .text, "`request`, `balance`, `callback`, `wallet`, `node` or `policy`"),
            .optional("request", .number), .optional("wallet", .number),
        ])
}
