import Daybook

/// A send lock of a simulated process; it ends with the process.
final class SimulatedSendLock: SendLock {
    private let process: SimulatedProcess
    private var hasEnded = false

    init(of process: SimulatedProcess) {
        self.process = process
    }

    var isOver: Bool { hasEnded || process.isDead }

    func end() { hasEnded = true }
}

extension SimulatedComputer {
    /// Takes the send lock of a request; nil while another process has it.
    func takeSendLock(
        of request: RequestID, for process: SimulatedProcess
    ) throws -> SimulatedSendLock? {
        try process.step("before taking the send lock")
        if let other = sendLocks[request], !other.isOver { return nil }
        let lock = SimulatedSendLock(of: process)
        sendLocks[request] = lock
        return lock
    }
}
