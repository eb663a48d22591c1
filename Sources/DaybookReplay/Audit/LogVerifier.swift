package import DaybookEncoding
package import DaybookTree

/// Verifies a whole log: its hashes, its tree, a checkpoint, its signatures and its rules.
package struct LogVerifier: ~Copyable {
    /// What came out.
    package struct Result: Sendable {
        /// The head of the tree over the events, by their own hashes.
        package let head: TreeHead
        /// How many signatures of transactions were verified.
        package let signatures: Int
        /// What was found, by position; the first thousand of it.
        package let violations: [Violation]
        /// How often a rule was broken.
        package let violationCount: Int
    }

    private var audit: Audit
    private var tree: TreeVerifier
    /// The head that somebody else vouches for.
    private let vouched: TreeHead?
    private var hasTreeMismatch = false

    /// A verifier of the log with this id, which must go on from a head that was vouched for.
    package init(logID: Bytes, vouched: TreeHead? = nil) throws(TreeError) {
        audit = Audit(logID: logID)
        tree = try TreeVerifier()
        self.vouched = vouched
        checkVouched()
    }

    /// Takes the bytes of the next event.
    package mutating func feed(_ bytes: Bytes) {
        tree.add(bytes)
        audit.feed(bytes)
        checkVouched()
    }

    /// Compares what has become full of the tree with the stored one, which a log may not have.
    ///
    /// `isWhole` says that there are no more events.
    package mutating func compare(
        isWhole: Bool = false, with stored: (Bytes) throws -> Bytes?
    ) rethrows {
        let first = try tree.firstDifference(isWhole: isWhole, from: stored)
        guard let first, !hasTreeMismatch else { return }
        // Whatever lies above a wrong hash is wrong too; the first says where to look.
        hasTreeMismatch = true
        audit.report(.treeMismatch, first, "the log's tree is not that of its events from here on")
    }

    /// What came out, once every event has been fed.
    package consuming func finish() -> Result {
        if let vouched, vouched.size > tree.size {
            audit.report(
                .checkpointMismatch, tree.size,
                "the checkpoint vouches for \(vouched.size) events, and here the log ends")
        }
        let violations = audit.violations.enumerated().sorted {
            ($0.element.position, $0.offset) < ($1.element.position, $1.offset)
        }
        return Result(
            head: tree.head(), signatures: audit.signatures,
            violations: violations.map(\.element), violationCount: audit.violationCount)
    }

    private mutating func checkVouched() {
        guard let vouched, vouched.size == tree.size, vouched != tree.head() else { return }
        let last = vouched.size == 0 ? 0 : vouched.size - 1
        audit.report(
            .checkpointMismatch, last,
            "the events up to here are not those that the checkpoint vouches for")
    }
}
