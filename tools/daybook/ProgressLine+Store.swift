import Daybook
import DaybookCalls
import DaybookCommands

/// The progress of a store's long work.
extension ProgressLine {
    /// Shows how far a call is.
    static func show(_ progress: CallProgress) {
        switch progress {
        case .approval(let step): show(step.text)
        case .sync(let chain, let network, let done, let all):
            show("\(chain.rawValue) \(network.rawValue): \(done) of \(all)")
        case .verifying(let table, let entries): ofVerifying(table, entries)
        case .work(let name, let done, let all): count("\(name)", done, of: all)
        }
    }

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

    /// Shows the progress of a migration.
    static func ofMigration(_ layout: UInt64, _ left: UInt64) {
        show("layout \(layout): \(left) entries left")
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
        return { show($0.text) }
    }
}

extension ApprovalStep {
    fileprivate var text: TerminalText {
        switch self {
        case .askingNode: "asking the node"
        case .unlocking: "opening the key"
        case .comparingNodes: "asking another node"
        case .signing: "signing"
        case .sending: "sending"
        case .waitingForLock: "waiting for InstantSend"
        }
    }
}
