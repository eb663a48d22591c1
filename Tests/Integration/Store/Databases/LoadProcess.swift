import DaybookSystem
import Foundation
import TestSupport

/// A program that works on a log in a database until it is killed, and what it has said so far.
final class LoadProcess: Sendable {
    private struct State {
        var lines: [String] = []
        /// How often it was told that something is durable, and how often that something failed.
        var done = 0
        var failures = 0
        var hasEnded = false
        /// When it was last told so, in microseconds, and the longest time between two such times.
        var lastDone: UInt64?
        var longestGap: UInt64 = 0

        mutating func add(_ line: String) {
            switch line.prefix(while: { $0 != " " }) {
            case "probe", "disk": return
            case "event", "received", "approved", "rejected", "checkpoint": noteDone()
            case "failed": failures += 1
            default: break
            }
            lines.append(line)
        }

        private mutating func noteDone() {
            let now = Clock.monotonicMicroseconds()
            longestGap = max(longestGap, now - (lastDone ?? now))
            lastDone = now
            done += 1
        }
    }

    /// The longest time between two things that it was told are durable, in seconds, since this was
    /// asked last.
    func takeLongestOutage() -> Double {
        state.change { state in
            defer { state.longestGap = 0 }
            return Double(state.longestGap) / 1_000_000
        }
    }

    /// The program and its arguments.
    let words: [String]
    private let program: RunningProgram
    private let state = Monitor(State())

    /// Starts one of the tests' programs.
    init(_ words: [String]) throws {
        self.words = words
        program = try RunningProgram(
            ["\(ProgramRun.folder)/\(words[0])"] + words.dropFirst(), errors: .amongOutput)
        Thread.detachNewThread { [state, output = program.output] in
            while let line = output.line() { state.change { $0.add(line) } }
            state.change { $0.hasEnded = true }
        }
    }

    deinit { program.send(SIGKILL) }

    /// Waits until it has done something more; false if it can't, or has ended.
    func progresses() -> Bool {
        let before = state.change { $0 }
        return state.change(when: { state in
            state.hasEnded || state.done > before.done + 1
                || state.failures > before.failures + Self.mostFailures
        }, { $0.done > before.done })
    }

    /// A failed statement may take half a minute.
    private static let mostFailures = 10

    /// Kills it, and returns its lines.
    func end() -> [String] {
        program.send(SIGKILL)
        return state.change(when: { $0.hasEnded }, { $0.lines })
    }
}
