import Daybook
import DaybookCommands
import DaybookSystem

/// A line on the terminal that shows a command's progress and is overwritten each time.
///
/// Nothing is shown if standard error is not a terminal.
enum ProgressLine {
    /// Shows the progress of a sync; nil without a terminal.
    static var ofSync: SyncProgress? {
        guard Terminal.isTerminal(2) else { return nil }
        return { chain, network, done, all in
            show("\(chain.rawValue) \(network.rawValue): \(done) of \(all)")
        }
    }

    /// Shows the progress of building derived tables.
    static func ofRebuild(_ done: UInt64, _ all: UInt64) {
        if Terminal.isTerminal(2) { show("derived tables: \(done) of \(all) events") }
    }

    /// Shows how much of an export or import is done; nil without a terminal.
    static func ofWork(_ name: TerminalText) -> WorkProgress? {
        guard Terminal.isTerminal(2) else { return nil }
        return { done, all in
            if all > 0 { show("\(name): \(done * 100 / all) %") }
        }
    }

    /// Shows the steps of an approval; nil without a terminal.
    static var ofApproval: ApprovalProgress? {
        guard Terminal.isTerminal(2) else { return nil }
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

    /// Clears the line before anything else is printed.
    static func clear() {
        if Terminal.isTerminal(2) { show("") }
    }

    private static func show(_ line: TerminalText) {
        // Progress may be lost without harm.
        try? StandardStreams.write("\r\u{1b}[K" + line.text, to: .error)
    }
}
