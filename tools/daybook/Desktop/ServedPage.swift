import Daybook
import DaybookCalls
import DaybookEncoding
import DaybookSystem

/// The page of a server that runs, which `desktop open` shows in the browser.
///
/// The address is asked for each time, because its token is good once.
enum ServedPage {
    /// An address that opens the page of a store once; nil if the server there has none.
    ///
    /// - Throws: `SystemError` if no server answers at the usual socket.
    static func address(of store: Store, at home: String) async throws -> String? {
        let server = try LineConnection(to: try LineDoor.usualPath(home: home))
        func result(_ method: String) throws -> JSON? {
            let request = JSON.record([
                "jsonrpc": .string("2.0"), "id": .int(1), "method": .string(method),
            ])
            return try JSON.parse(server.call(Array(request.text().utf8)))["result"]
        }
        // The usual socket may be that of a server of another store.
        let log = try await store.info().log
        guard try result("info")?["log"] == .string(log) else { return nil }
        return try result("page.address")?["page"]?.stringValue
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
