import DaybookEncoding
import Daybook
import DaybookCommands

extension Command {
    static let log = Command(
        "log", does: "print the events, oldest first",
        options: [
            Option("--from", "N", "from event N on"),
            Option("--request", "N", "of request N only"),
            Option("--session", "N", "of session N only"),
            Option("--follow", nil, "go on with what is written from now on"),
        ]
    ) { invocation, store in
        var pages = EventPages(
            next: try invocation.id("--from") ?? 0,
            request: try invocation.id("--request"),
            session: try invocation.id("--session"))
        if pages.request != nil, pages.session != nil {
            throw CommandFailure.usage("either --request or --session")
        }
        while true {
            pages.next = try await pages.each(of: store) { event in
                try invocation.console.result(try event.json, try event.text)
            }
            guard invocation.has("--follow") else { return .done }
            // LMDB tells nobody that something was written: looking is cheap.
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}
