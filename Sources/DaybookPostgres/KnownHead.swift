internal import DaybookEncoding
internal import DaybookLog

/// The row of a log as of one commit, and the bytes of its last event.
struct PostgresHead: Sendable {
    let count: UInt64
    let root: Bytes
    let epoch: UInt64
    /// The oldest events, if only an archive has them.
    let archived: ArchivedEvents?
    /// The bytes of the last event; nil if the log is empty.
    let last: Bytes?

    func isSame(as other: PostgresHead) -> Bool {
        count == other.count && root == other.root && epoch == other.epoch
            && last == other.last && archived == other.archived
    }

    /// Whether it is the head of a later commit than another one, if the log has lost none.
    func isNewer(than other: PostgresHead) -> Bool {
        (epoch, count) > (other.epoch, other.count)
    }
}

/// The newest head that a process has learnt of a log, by a question or by an append of its own.
struct KnownHead: Sendable {
    private(set) var head: PostgresHead
    /// When the last answer came, in microseconds of the monotonic clock.
    private var answered: UInt64

    /// The first head that is learnt.
    init(_ head: PostgresHead, answered: UInt64) { (self.head, self.answered) = (head, answered) }

    /// Takes over what a question or append has brought, in whichever order they end.
    ///
    /// It was asked at one time and answered at another. A question after the last answer is right
    /// even if a fail-over has lost commits in between.
    mutating func learn(_ other: PostgresHead, asked: UInt64, answered: UInt64) {
        if asked >= self.answered || other.isNewer(than: head) { head = other }
        self.answered = max(self.answered, answered)
    }
}
