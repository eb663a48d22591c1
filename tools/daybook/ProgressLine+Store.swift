import Daybook
import DaybookCommands

/// The progress of a store's long work.
extension ProgressLine {
    /// Shows the progress of a sync; nil without a terminal.
    static var ofSync: SyncProgress? {
        guard isShown else { return nil }
        return { chain, network, done, all in
            show("\(chain.rawValue) \(network.rawValue): \(done) of \(all)")
        }
    }

    /// Shows the progress of building derived tables.
    static func ofRebuild(_ done: UInt64, _ all: UInt64) {
        count("derived tables", done, of: all)
    }

    /// Shows the progress of verifying a store.
    static func ofVerifying(_ table: String, _ entries: UInt64) {
        count("verifying \(table)", entries, unit: "entries")
    }

    /// Shows how much of an export or import is done; nil without a terminal.
    static func ofWork(_ name: TerminalText) -> WorkProgress? {
        guard isShown else { return nil }
        return { done, all in
            if all > 0 { show("\(name): \(done * 100 / all) %") }
        }
    }

    /// Shows how many events are read; nil without a terminal.
    static func ofEvents(_ name: TerminalText) -> WorkProgress? {
        guard isShown else { return nil }
        return { done, all in count(name, done, of: all) }
    }

    /// Shows the steps of an approval; nil without a terminal.
    static var ofApproval: ApprovalProgress? {
        guard isShown else { return nil }
        return { step in
            switch step {
            case .askingNode: show("asking the node")
            case .unlocking: show("opening the key")
            case .comparingNodes: show("asking another node")
            case .signing: show("signing")
            case .sending: show("sending")
            case .waitingForLock: show("waiting for InstantSend")
            }
        }
    }
}
