import Daybook
import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let initialise = Command("init", does: "make a store in an empty folder") { invocation in
        let path = try Home.path(invocation)
        try Store.create(at: path)
        let home = try Files.resolved(path)
        let store = try Home.open(home)
        try invocation.console.result(
            .record(["log": .string(store.logID), "home": .string(home)]),
            "made a store in \(Text.onOneLine(home))\nits log is \(store.logID)")
        return .done
    }
}
