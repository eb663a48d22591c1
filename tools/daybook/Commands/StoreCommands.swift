import Daybook
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let storeCreate = Command(
        "store create", "URL", count: 1...1, does: """
            make a log in a PostgreSQL database, and this machine's folder for it
            URL is postgres://[USER@]HOST[:PORT]/DATABASE, with /LOG behind it for a log of a known
            id, which is then imported. The tables are made where they are missing. A password
            comes from PGPASSFILE or a service file, never from URL.
            """
    ) { invocation in
        let address = invocation.arguments[0]
        let id = try Store.newLogID(forAddress: address)
        let path = try Home.folder(invocation, orBelow: "daybook-logs/\(id.name)")
        // A creation that was interrupted goes on with the id that the folder has.
        let store = try Store.create(
            at: path, inDatabase: Files.exists(path) ? address : id.address)
        let home = try Files.resolved(path)
        try invocation.console.result(
            .record([
                "log": .string(try Store.logID(ofAddress: store)), "store": .string(store),
                "home": .string(home),
            ]),
            "made the log \(store)\nits keys and settings are in \(home)")
        return .done
    }

    static let storeList = Command(
        "store list", "URL", count: 1...1, does: """
            list the logs of a PostgreSQL database
            Each has the number of its events and that of its last take-over, whose machine writes.
            """
    ) { invocation in
        let address = invocation.arguments[0]
        var logs = try Store.logs(ofDatabase: address)
        if logs.isEmpty { try invocation.console.text("the database has no logs") }
        while !logs.isEmpty {
            for log in logs {
                try invocation.console.result(
                    .record([
                        "log": .string(log.id), "events": .int(log.events),
                        "writer": .int(log.writer),
                    ]), "\(log.id): \(log.events) events, written by writer \(log.writer)")
            }
            logs = try Store.logs(ofDatabase: address, after: logs.last)
        }
        return .done
    }

    static let storeTakeOver = Command(
        "store take-over", "URL", count: 1...1, does: """
            let this machine write to a log in a database, and no other
            The machine that wrote to it before can neither append nor send any more. Copy its
            `keys/` to this machine's folder first: the database has no keys.
            """
    ) { invocation in
        let address = invocation.arguments[0]
        let id = try Store.logID(ofAddress: address)
        let path = try Home.folder(invocation, orBelow: "daybook-logs/\(id)")
        let epoch = try Store.takeOver(address, at: path)
        let home = try Files.resolved(path)
        try invocation.console.result(
            .record(["epoch": .int(epoch), "home": .string(home)]),
            "took the log over as writer \(epoch)\nits keys and settings are in \(home)")
        return .done
    }
}
