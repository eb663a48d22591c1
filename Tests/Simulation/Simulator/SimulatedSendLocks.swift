import Daybook

/// The send locks of a program; the death of a process ends its locks.
struct SimulatedSendLocks: SendLocks {
    // Only the one thread of the simulation touches it.
    nonisolated(unsafe) unowned let world: World
    let process: Process

    func take(of request: RequestID) throws -> (any SendLock)? {
        try process.step("before taking the send lock")
        if let other = world.sendLocks[request], !other.isOver { return nil }
        let lock = SimulatedSendLock(of: process)
        world.sendLocks[request] = lock
        return lock
    }
}

final class SimulatedSendLock: SendLock {
    private let process: Process
    private var hasEnded = false

    init(of process: Process) {
        self.process = process
    }

    var isOver: Bool { hasEnded || process.isDead }

    func end() { hasEnded = true }
}
