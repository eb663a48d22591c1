import Daybook

/// The turns of a program: those of one that is dead are over.
struct SimulatedTurns: Turns {
    // Only the one thread of the simulation touches it.
    nonisolated(unsafe) unowned let world: World
    let process: Process

    func take(of request: UInt64) throws -> (any Turn)? {
        try process.step("before taking its turn")
        if let other = world.turns[request], !other.isOver { return nil }
        let turn = SimulatedTurn(of: process)
        world.turns[request] = turn
        return turn
    }
}

final class SimulatedTurn: Turn {
    private let process: Process
    private var hasEnded = false

    init(of process: Process) {
        self.process = process
    }

    var isOver: Bool { hasEnded || process.isDead }

    func end() { hasEnded = true }
}
