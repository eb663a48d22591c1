import DaybookDomain
import DaybookEncoding
import DaybookSystem

/// Locks that let one task of all processes send the transaction of a request.
///
/// The network can tell two senders different things, and the answer that is recorded first may be
/// the one that no longer holds: a payment that failed, and is on its chain.
package protocol SendLocks: Sendable {
    /// Locks a request until `end`, which comes when the network's answer is recorded.
    ///
    /// Nil while another task or process has the lock.
    func take(of request: RequestID) throws -> (any SendLock)?
}

/// A lock that is held; the end of the process ends it too.
package protocol SendLock: AnyObject {
    func end()
}

/// The send locks of a store in a folder: each request has a byte of a file that is locked.
struct FileSendLocks: SendLocks {
    let path: String

    func take(of request: RequestID) throws -> (any SendLock)? {
        do {
            return FileSendLock(try FileLock(withoutWaiting: path, byte: request.number))
        } catch let error where error.code == .wouldBlock {
            return nil
        }
    }
}

private final class FileSendLock: SendLock {
    private var lock: FileLock?

    init(_ lock: consuming FileLock) {
        self.lock = consume lock
    }

    func end() { lock = nil }
}

/// The send locks that one task holds at once.
final class HeldSendLocks {
    private let locks: any SendLocks
    private var held: [RequestID: any SendLock] = [:]

    init(_ locks: any SendLocks) {
        self.locks = locks
    }

    /// Locks a request unless this task has locked it; false while another one has the lock.
    func take(of request: RequestID) throws -> Bool {
        if held[request] == nil { held[request] = try locks.take(of: request) }
        return held[request] != nil
    }

    func end() {
        for lock in held.values { lock.end() }
        held = [:]
    }
}
