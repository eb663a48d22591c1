import Daybook
import DaybookCommands
import DaybookSystem

/// How far a command has come, on one line of the terminal that is written over again and again.
///
/// Without a terminal on standard error nothing is shown.
enum ProgressLine {
    /// Shows the steps of a sync; nil where nobody would see it.
    static var ofSync: SyncProgress? {
        guard Terminal.isTerminal(2) else { return nil }
        return { chain, network, done, all in
            show("\(chain.rawValue) \(network.rawValue): \(done) of \(all)")
        }
    }

    /// Shows how far the derived tables are built.
    static func ofRebuild(_ done: UInt64, _ all: UInt64) {
        if Terminal.isTerminal(2) { show("derived tables: \(done) of \(all) events") }
    }

    /// Shows the steps of an approval; nil where nobody would see it.
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
        // Only to be looked at: who can't see it misses nothing.
        try? StandardStreams.write("\r\u{1b}[K" + line.text, to: .error)
    }
}
