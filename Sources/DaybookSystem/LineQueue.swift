internal import CLinux
internal import Glibc

/// Lines for an output stream whose reader may be slow or gone: nobody waits for it.
///
/// A thread of its own writes. Lines that find the queue full, and those that can't be written, are
/// lost and counted.
package final class LineQueue: Sendable {
    private struct State {
        var lines: [[UInt8]] = []
        var bytes = 0
        var isWriting = false
        var lost: UInt64 = 0
    }

    private let descriptor: Int32
    private let limit: Int
    private let state = Monitor(State())
    private let thread = WorkThread()

    /// A queue for a descriptor that stays open; it holds at most `limit` bytes.
    package init(to descriptor: Int32, limit: Int = 1 << 16) {
        (self.descriptor, self.limit) = (descriptor, limit)
    }

    /// Adds a line, without its line break; at once, also if there is no room.
    package func add(_ line: String) {
        let bytes = Array(line.utf8) + [0x0a]
        let begins = state.change { state in
            guard state.bytes + bytes.count <= limit else {
                state.lost += 1
                return false
            }
            state.lines.append(bytes)
            state.bytes += bytes.count
            defer { state.isWriting = true }
            return !state.isWriting
        }
        guard begins else { return }
        thread.run { [self] in
            while let line = next() { write(line) }
            return {}
        }
    }

    /// How many lines were lost since this was asked last.
    package func takeLost() -> UInt64 {
        state.change { state in
            defer { state.lost = 0 }
            return state.lost
        }
    }

    /// Waits until all is written, for a time at most.
    package func finish(within seconds: UInt64) async {
        let end = Clock.monotonicMicroseconds() + seconds * 1_000_000
        // A task of its own: the caller's may be cancelled already, and then nothing sleeps.
        await Task { [self] in
            while isWriting, Clock.monotonicMicroseconds() < end {
                try? await Task.sleep(for: .milliseconds(10))
            }
        }.value
    }

    private var isWriting: Bool { state.change { $0.isWriting } }

    private func next() -> [UInt8]? {
        state.change { state in
            guard let line = state.lines.first else {
                state.isWriting = false
                return nil
            }
            state.lines.removeFirst()
            state.bytes -= line.count
            return line
        }
    }

    /// Writes a line; a closed pipe is an error alone, because the program ignores its signal.
    private func write(_ line: [UInt8]) {
        var rest = line[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR, errno != EAGAIN || !waitUntilWritable() {
                state.change { $0.lost += 1 }
                return
            }
        }
    }

    /// Waits for a stream that somebody made non-blocking; false if that fails.
    private func waitUntilWritable() -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let count = unsafe poll(&waiting, 1, -1)
            // A process that was stopped and continued has waited in vain.
            if count < 0, errno == EINTR { continue }
            return count == 1 && waiting.revents & Int16(POLLOUT) != 0
        }
    }
}

extension StandardStreams {
    /// Whether standard error goes to systemd's journal.
    ///
    /// `JOURNAL_STREAM` names the journal's stream by device and inode (systemd.exec(5)).
    package static var isErrorJournal: Bool {
        var information = stat()
        guard let names = EnvironmentVariables.value("JOURNAL_STREAM"),
            unsafe fstat(Output.error.rawValue, &information) == 0
        else { return false }
        return names == "\(information.st_dev):\(information.st_ino)"
    }
}
