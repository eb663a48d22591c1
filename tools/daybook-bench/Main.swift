import Daybook
import DaybookCommands
import DaybookLog
import DaybookSystem

/// Makes large logs with real lives of requests in them, and does timed work on them.
@main
enum Main {
    static func main() async {
        await Program(
            name: "daybook-bench",
            summary: "makes large logs, and measures what Daybook's work costs",
            commands: [.log, .logs, .inputs, .measure, .database, .race, .distance],
            explain: CommandFailure.init(explaining:)
        ).main()
    }
}

extension CommandFailure {
    /// The exit status and message of an error of the layers below.
    init(explaining error: any Error) {
        switch error {
        case let error as DaybookError:
            self.init(error.code.rawValue, .store, quoting: error.message)
        case let error as LogError: self.init("logError", .store, quoting: "\(error)")
        case let error as SystemError: self.init("systemError", .store, quoting: "\(error)")
        default: self.init("failed", .store, quoting: "\(error)")
        }
    }
}
