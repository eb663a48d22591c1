import Daybook
import DaybookCommands
import DaybookLog
import DaybookSystem

extension CommandFailure {
    /// What an error of the layers below comes to.
    init(explaining error: any Error) {
        switch error {
        case let error as DaybookError: self.init(error.code, .store, quoting: error.message)
        case let error as LogError: self.init("logError", .store, quoting: "\(error)")
        case let error as SystemError: self.init("systemError", .store, quoting: "\(error)")
        default: self.init("failed", .store, quoting: "\(error)")
        }
    }
}
