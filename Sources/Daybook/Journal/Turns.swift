import DaybookSystem

/// Who may send the transaction of a request: one at a time, of all tasks and processes.
///
/// Two at once can be told different things by the network, and the first to be recorded may be
/// what no longer holds: a payment that failed, and is on its chain.
package protocol Turns: Sendable {
    /// The turn of a request, which ends when what the network said is recorded; nil while somebody
    /// else has it.
    func take(of request: UInt64) throws -> (any Turn)?
}

/// It ends with its process at the latest.
package protocol Turn: AnyObject {
    func end()
}

/// The turns of a store in a folder: a lock on one byte of a file for each request.
struct FileTurns: Turns {
    let path: String

    func take(of request: UInt64) throws -> (any Turn)? {
        do {
            return FileTurn(try FileLock(withoutWaiting: path, byte: request))
        } catch let error where error.code == .wouldBlock {
            return nil
        }
    }
}

private final class FileTurn: Turn {
    private var lock: FileLock?

    init(_ lock: consuming FileLock) {
        self.lock = consume lock
    }

    func end() { lock = nil }
}

/// The turns that somebody has at once.
final class HeldTurns {
    private let turns: any Turns
    private var held: [UInt64: any Turn] = [:]

    init(_ turns: any Turns) {
        self.turns = turns
    }

    /// Takes the turn of a request if that is not held already; false while somebody else has it.
    func take(of request: UInt64) throws -> Bool {
        if held[request] == nil { held[request] = try turns.take(of: request) }
        return held[request] != nil
    }

    func end() {
        for turn in held.values { turn.end() }
        held = [:]
    }
}
