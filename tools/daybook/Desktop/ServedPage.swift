import Daybook
import DaybookCalls
import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// The page of a server that runs, which `desktop open` shows in the browser.
///
/// The address is asked for each time, because its token is good once.
enum ServedPage {
    /// An address that opens the page of a store once, from the server at a socket.
    ///
    /// - Throws: `noServer` if none answers there, `logNotServed` if it is another store's, and
    ///   the server's own codes.
    static func address(of store: Store, at socket: String) async throws -> String {
        let request = JSON.record([
            "jsonrpc": .string("2.0"), "id": .int(1), "method": .string(Method.pageAddress.name),
            "params": .record(["log": .string(try await store.logID)]),
        ])
        let answer: JSON
        do {
            answer = try JSON.parse(
                LineConnection(to: socket).call(Array(request.text().utf8)))
        } catch {
            throw CommandFailure(
                "noServer", .refused,
                quoting: "no server of yours answers at \(socket): start `daybook serve --page`")
        }
        if let page = answer["result"]?["page"]?.stringValue { return page }
        throw CommandFailure(
            answer["error"]?["data"]?["code"]?.stringValue ?? "failed", .refused,
            quoting: answer["error"]?["message"]?.stringValue ?? "the server gave no address")
    }

    /// Shows an address in the browser; returns whether a program has taken it.
    ///
    /// It is a whole web address of our own, of which `xdg-open` makes no other.
    static func open(_ address: String) async throws -> Bool {
        guard let program = ExternalProgram(named: "xdg-open") else { return false }
        // A browser that is started by it may go on for as long as it is used.
        return try await program.start([address]).status(within: .seconds(5)) ?? 0 == 0
    }
}

extension Command {
    /// The address is that of a server, which this process asks for it.
    static let page = Command(
        .pageAddress,
        options: [
            Option(
                "--socket", "PATH",
                "the server's socket; else $XDG_RUNTIME_DIR/daybook/socket, or one in the store")
        ]
    ) { invocation, store in
        let socket = try invocation.value("--socket")
            ?? LineDoor.usualPath(home: try Home.path(invocation))
        let page = try await ServedPage.address(of: store, at: socket)
        try invocation.console.result(.record(["page": .string(page)]), "\(page)")
        return .done
    }
}
