import DaybookSystem

/// A line on the terminal that shows the progress of long work and is overwritten each time.
///
/// Nothing is shown if standard error is not a terminal, or one that can't overwrite a line.
package enum ProgressLine {
    /// Whether progress is shown.
    package static var isShown: Bool {
        Terminal.isTerminal(2) && Colors.isCapable(EnvironmentVariables.value)
    }

    /// Shows a step of the work.
    package static func show(_ line: TerminalText) {
        guard isShown else { return }
        state.change { $0 = State(isClear: false) }
        write(line)
    }

    /// Shows how far the work is: at the end, and at most ten times a second before.
    ///
    /// For example: `replay: 2000 of 31000 events`. The total may be unknown.
    package static func count(
        _ what: TerminalText, _ done: UInt64, of all: UInt64? = nil, unit: TerminalText = "events"
    ) {
        guard isShown else { return }
        let isDue = state.change { state in
            let now = Clock.monotonicMicroseconds()
            if done != all, let last = state.lastCount, now - last < interval { return false }
            state = State(isClear: false, lastCount: now)
            return true
        }
        guard isDue else { return }
        let total: TerminalText = all.map { " of \($0)" } ?? ""
        write("\(what): \(done)\(total) \(unit)")
    }

    /// Clears the line before anything else is printed.
    package static func clear() {
        let wasClear = state.change { state in
            defer { state = State() }
            return state.isClear
        }
        if !wasClear { write("") }
    }

    private static let interval: UInt64 = 100_000

    private struct State {
        /// Whether nothing is shown.
        var isClear = true
        /// The time of the last count that was shown.
        var lastCount: UInt64?
    }

    private static let state = Monitor(State())

    private static func write(_ line: TerminalText) {
        // Progress may be lost without harm.
        try? StandardStreams.write("\r\u{1b}[K" + line.text, to: .error)
    }
}
