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
    /// The head has all commits that were acknowledged before this time, in microseconds of the
    /// monotonic clock.
    private(set) var asked: UInt64
    /// When the last answer came.
    private(set) var answered: UInt64

    /// A head that was asked for at one time and learnt at another.
    init(_ head: PostgresHead, asked: UInt64, answered: UInt64) {
        (self.head, self.asked, self.answered) = (head, asked, answered)
    }

    /// Takes over what another question or append has brought, in whichever order they end.
    ///
    /// A head never takes the time of another one: a fail-over may have lost what one of them has.
    mutating func learn(_ other: KnownHead) {
        if other.head.isSame(as: head) {
            asked = max(asked, other.asked)
        } else if other.asked >= answered || other.head.isNewer(than: head) {
            // A question after the last answer is right even if commits were lost in between.
            (head, asked) = (other.head, other.asked)
        }
        answered = max(answered, other.answered)
    }
}
