import Daybook
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let initialise = Command("init", does: "make a store in an empty folder") { invocation in
        let path = try Home.path(invocation)
        try Store.create(at: path)
        let home = try Files.resolved(path)
        let log = try await Home.open(home).logID
        try invocation.console.result(
            .record(["log": .string(log), "home": .string(home)]),
            "made a store in \(home)\nits log is \(log)")
        return .done
    }
}
