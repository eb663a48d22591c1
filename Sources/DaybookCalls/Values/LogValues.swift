package import Daybook
package import DaybookEncoding

extension LogEvent {
    static let resultType = ResultType(
        "Event",
        [
            .init("position", .number), .init("type", .text), .init("at", .time),
            .init("session", .number), .init("request", .orNull(.number)),
            .init("cause", .orNull(.number)), .init("stream", .text), .init("revision", .number),
            .init("actor", .text), .init("data", .map(.any)),
        ])

    /// The whole event as an object, lossless.
    package var json: JSON {
        get throws {
            .object([
                .init(name: "position", value: .int(position)),
                .init(name: "type", value: .string(type)),
                .init(name: "at", value: .string(Timestamp.text(time))),
                .init(name: "session", value: .int(session)),
                .init(name: "request", value: request.map { .int($0) } ?? .null),
                .init(name: "cause", value: cause.map { .int($0) } ?? .null),
                .init(name: "stream", value: .string(stream)),
                .init(name: "revision", value: .int(revision)),
                .init(name: "actor", value: .string(actor)),
                .init(name: "data", value: try JSON.parse(Array(data.utf8))),
            ])
        }
    }
}

/// Events of the log, read a page at a time.
package struct EventPages {
    /// The position from which the next page is read.
    package var next: Position
    /// Only events of this request, unless nil.
    package var request: RequestID?
    /// Only events of this session, unless nil.
    package var session: SessionID?

    private static let size = 500

    package init(next: Position = 0, request: RequestID? = nil, session: SessionID? = nil) {
        self.next = next
        self.request = request
        self.session = session
    }

    /// Calls `body` with every event from `next` on; returns the position after the last one.
    @discardableResult
    package func each(
        of store: Store, _ body: (LogEvent) throws -> Void
    ) async throws -> Position {
        var next = next
        while true {
            let page = try await store.events(
                from: next, limit: Self.size, request: request, session: session)
            for event in page { try body(event) }
            if let last = page.last { next = last.position.next }
            if page.count < Self.size { return next }
        }
    }
}

extension LogCheckpoint {
    static let resultType = ResultType(
        "Checkpoint",
        [
            .init("size", .number), .init("root", .text), .init("note", .text),
            .init("key", .text), .init("position", .number),
            .optional("problems", .list(.text)),
        ])

    /// The checkpoint as an object.
    package var json: JSON {
        .record([
            "size": .int(size), "root": .string(root), "note": .string(note),
            "key": .string(key), "position": .int(position),
            "problems": problems.isEmpty
                ? nil : .array(problems.map { .string(Text.onOneLine("\($0)")) }),
        ])
    }
}

extension CheckpointStamp {
    static let resultType = ResultType(
        "CheckpointStamp",
        [
            .init("position", .number), .init("checkpoint", .number), .init("root", .text),
            .init("at", .time), .optional("by", .text),
        ])

    /// The stamp as an object.
    package var json: JSON {
        .record([
            "position": .int(position), "checkpoint": .int(checkpoint), "root": .string(root),
            "at": .string(Timestamp.text(time)), "by": authority.map { .string($0) },
        ])
    }
}

extension StoreVerification {
    static let resultType = ResultType(
        "Verification",
        [
            .init("events", .number), .init("root", .text), .init("ok", .flag),
            .optional("first", .object(StoreProblem.resultType)),
            .init("problems", .list(.object(StoreProblem.resultType))),
        ])

    /// The result as an object.
    package var json: JSON {
        .record([
            "events": .int(events), "root": .string(root),
            "ok": .bool(isWhole), "first": problems.first?.json,
            "problems": .array(problems.map(\.json)),
        ])
    }
}

extension StoreProblem {
    fileprivate static let resultType = ResultType(
        "StoreProblem",
        [
            .init("code", .text), .init("table", .text), .optional("key", .text),
            .optional("position", .number), .init("message", .text),
        ])

    /// The problem as an object.
    package var json: JSON {
        .record([
            "code": .string(code.rawValue), "table": .string(table), "key": key.map { .string($0) },
            "position": position.map { .int($0) }, "message": .string(message),
        ])
    }
}
