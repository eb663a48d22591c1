import DaybookEncoding
import DaybookSystem

/// A lock that lets one task of all processes send a request's transaction; ends with the process.
///
/// The network can give two senders different answers, and the one recorded first may be outdated:
/// a payment would count as failed although its chain has it.
package protocol SendLock: AnyObject {
    /// Releases the lock, once the network's answer is recorded.
    func end()
}

/// Takes the send lock of a request; nil while another task or process has it.
package typealias SendLocking = @Sendable (RequestID) throws -> (any SendLock)?

/// A send lock of a store in a folder: each request locks one byte of a file.
final class FileSendLock: SendLock {
    private var lock: FileLock?

    private init(_ lock: consuming FileLock) {
        self.lock = consume lock
    }

    /// Locks a request's byte in the file at `path`; nil while another task or process has it.
    static func take(of request: RequestID, in path: String) throws -> FileSendLock? {
        do {
            return FileSendLock(try FileLock(withoutWaiting: path, byte: request.number))
        } catch let error where error.code == .wouldBlock {
            return nil
        }
    }

    func end() { lock = nil }
}

/// The send locks that one task holds at the same time.
final class HeldSendLocks {
    private let sendLock: SendLocking
    private var held: [RequestID: any SendLock] = [:]

    init(_ sendLock: @escaping SendLocking) {
        self.sendLock = sendLock
    }

    /// Locks a request unless this task has locked it; false while another one has the lock.
    func take(of request: RequestID) throws -> Bool {
        if held[request] == nil { held[request] = try sendLock(request) }
        return held[request] != nil
    }

    func end() {
        for lock in held.values { lock.end() }
        held = [:]
    }
}
