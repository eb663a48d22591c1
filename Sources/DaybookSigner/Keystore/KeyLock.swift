import DaybookSystem

/// The lock of a sealed key, which one task of all processes has at a time; see `KeyVault.lock`.
///
/// The kernel releases it if the process ends.
package final class KeyLock: Sendable {
    private let release: Monitor<(@Sendable () -> Void)?>

    /// A lock that `release` gives back.
    package init(_ release: @escaping @Sendable () -> Void) {
        self.release = Monitor(release)
    }

    deinit { end() }

    /// Releases the lock, once what was learnt of the passphrase is recorded.
    package func end() {
        let release = release.change { release in
            defer { release = nil }
            return release
        }
        release?()
    }
}

/// The turns of a process's tasks for the locks of keys, in the order in which they asked.
package final class KeyTurns: Sendable {
    /// The tasks that wait for a name; no entry for a name that no task has.
    private let waiting = Monitor<[String: [CheckedContinuation<Void, Never>]]>([:])

    package init() {}

    /// Waits until no other task has the name.
    package func take(_ name: String) async -> KeyLock {
        await withCheckedContinuation { continuation in
            let isFree = waiting.change { waiting in
                waiting[name]?.append(continuation)
                guard waiting[name] == nil else { return false }
                waiting[name] = []
                return true
            }
            if isFree { continuation.resume() }
        }
        return KeyLock { [self] in give(name) }
    }

    private func give(_ name: String) {
        let next = waiting.change { waiting -> CheckedContinuation<Void, Never>? in
            guard waiting[name]?.isEmpty == false else {
                waiting[name] = nil
                return nil
            }
            return waiting[name]?.removeFirst()
        }
        next?.resume()
    }
}

/// A lock of one byte of a file, held for as long as this value lives.
final class HeldByte: Sendable {
    private let lock: FileLock

    private init(_ lock: consuming FileLock) { self.lock = lock }

    /// Waits for the lock of a byte, on a thread of its own if another process has it.
    static func take(_ byte: UInt64, of path: String) async throws(SystemError) -> HeldByte {
        do throws(SystemError) {
            return HeldByte(try FileLock(withoutWaiting: path, byte: byte))
        } catch {
            guard error.code == .wouldBlock else { throw error }
        }
        let taken = await withCheckedContinuation { continuation in
            WorkThread().run {
                let taken = Result { () throws(SystemError) in
                    HeldByte(try FileLock(waitingFor: path, byte: byte))
                }
                return { continuation.resume(returning: taken) }
            }
        }
        return try taken.get()
    }
}
