import DaybookDomain
import DaybookLog

/// How new a reading of a store's log has to be, and what may be done with what was read.
///
/// The log that a reading passes says by its type whether a callback may be handed out of it, or a
/// payment sent.
struct Reading<Log> {
    let freshness: LogFreshness
    let log: (LogSnapshot) -> Log
}

extension Reading where Log == LogSnapshot {
    /// The log as this process knows it: for a call that has asked another machine before.
    static var published: Self { Self(freshness: .published) { $0 } }
}

extension Reading where Log == AskedLog {
    /// Everything that was acknowledged before: the first reading of a call, and one after waiting.
    static var askedNow: Self { Self(freshness: .askedNow) { AskedLog(snapshot: $0) } }
}

extension Reading where Log == WriterLog {
    /// The same, durable, in a process that may still append.
    static var asWriter: Self { Self(freshness: .asWriter) { WriterLog(snapshot: $0) } }
}

/// A log that was asked now: callbacks are handed out of it.
struct AskedLog {
    let snapshot: LogSnapshot

    fileprivate init(snapshot: LogSnapshot) { self.snapshot = snapshot }
}

/// A log of which the process is the writer: transactions are sent out of it.
struct WriterLog {
    let snapshot: LogSnapshot

    fileprivate init(snapshot: LogSnapshot) { self.snapshot = snapshot }

    /// Transactions that the log has, to be sent parents first.
    func payments(_ signed: [TransactionSigned]) -> OutgoingPayments {
        OutgoingPayments(signed: signed.parentsFirst)
    }
}

/// Signed transactions that may be sent, in a topological order.
struct OutgoingPayments {
    let signed: [TransactionSigned]

    fileprivate init(signed: [TransactionSigned]) { self.signed = signed }
}
