internal import DaybookEncoding
internal import DaybookSystem

/// A log as of one durable commit, with all that follows from its events.
///
/// It never changes, and all threads of a process share it: whoever sees a new commit first
/// computes what it changes, for all.
final class Published: Sendable {
    let version: LogVersion
    let derived: DerivedData
    /// The fault of derived tables that were dropped, if there was one.
    let fault: LogFault?
    private let madeTree = Monitor<TreeReader<OverlayRows>?>(nil)

    init(_ version: LogVersion, _ derived: DerivedData, _ fault: LogFault?) {
        (self.version, self.derived, self.fault) = (version, derived, fault)
    }

    /// The tree over all events, which is computed when it is first needed.
    var tree: TreeReader<OverlayRows> {
        if let tree = madeTree.change({ $0 }) { return tree }
        let made = derived.wholeTree
        madeTree.change { $0 = made }
        return made
    }
}

/// A commit of a log: what a store says of the log as a whole.
struct LogVersion: Sendable {
    /// The number of the commit; nil where the store counts none.
    let commit: UInt64?
    let logID: Bytes
    let count: UInt64
    let root: Bytes?
    let archived: ArchivedEvents?

    /// The commit that a view began from.
    init(_ view: any EventView) {
        (commit, logID, count) = (view.commit, view.logID, view.count)
        (root, archived) = (view.root, view.archived)
    }

    /// The commit that a turn ends with, if it appends events.
    init(after view: any EventView, count: UInt64, root: Bytes?) {
        commit = view.commit.map { $0 + 1 }
        (logID, archived) = (view.logID, view.archived)
        (self.count, self.root) = (count, root)
    }

    /// Whether this is the other commit, or a later one.
    func covers(_ other: LogVersion) -> Bool {
        if let commit, let other = other.commit { return commit >= other }
        return count == other.count && logID == other.logID && root == other.root
            && archived == other.archived
    }
}
