import Daybook
import DaybookCommands
import DaybookEncoding

extension Command {
    static let backup = Command(
        "backup", "DIR", count: 1...1, does: """
            copy the store, which may be in use, into a new folder, and verify the copy
            Passwords of nodes are not part of it. Keep it as safe as the store.
            """, changes: true
    ) { invocation in
        let path = try Home.path(invocation)
        let target = invocation.arguments[0]
        return try await Watched.run { _ in
            let made = try Store.backup(of: path, to: target)
            try invocation.console.result(
                .record([
                    "events": .int(made.events), "root": .string(made.root),
                    "path": .string(made.path),
                ]),
                "copied and verified \(made.events) events to \(made.path)\n"
                    + "root \(made.root)")
            return .done
        } crashed: { _ in
            throw CommandFailure(
                "backupNotWhole", .refused,
                "the store is damaged: reading its copy made LMDB crash; `verify` says more")
        }
    }
}
