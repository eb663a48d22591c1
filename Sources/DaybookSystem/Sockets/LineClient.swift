internal import Glibc

/// A client of a `LineServer`: splits what comes into lines, and queues what is sent.
package final class LineClient: Sendable {
    private struct Input {
        var line = WipedBytes()
        /// Whether the rest of a line that is too long is being skipped.
        var isSkipping = false
        /// Whether a whole line has come.
        var hasSpoken = false
        var handler: (any LineHandler)?
    }

    private struct Output {
        var queue: [WipedBytes] = []
        /// How much of the first queued line is written.
        var written = 0
        var bytes = 0
        var calls = 0
        /// Whether no more lines are read.
        var isAtEnd = false
        /// Whether the client can't be written to.
        var isBroken = false
        var isClosed = false

        var isIdle: Bool { calls <= 0 && queue.isEmpty }
    }

    let descriptor: Int32
    /// When it came, in microseconds of the monotonic clock.
    let since = Clock.monotonicMicroseconds()
    private let limits: LineLimits
    private let poller: Poller
    private let input = Monitor(Input())
    private let output = Monitor(Output())

    init(_ descriptor: Int32, _ limits: LineLimits, _ poller: Poller) {
        self.descriptor = descriptor
        self.limits = limits
        self.poller = poller
    }

    func handle(by handler: any LineHandler) {
        input.change { $0.handler = handler }
    }

    /// Whether no whole line has come yet.
    var isSilent: Bool { input.change { !$0.hasSpoken } }

    // MARK: - Output

    /// Sends a line, which is wiped when it is written; a line break is added.
    ///
    /// A line that is `droppable` is refused with false if too much output waits already.
    @discardableResult
    package func send(_ line: WipedBytes, droppable: Bool = false) -> Bool {
        line.append(0x0a)
        return output.change { output in
            if output.isClosed { return true }
            if droppable, output.bytes + line.count > limits.output { return false }
            output.bytes += line.count
            output.queue.append(line)
            if output.queue.count == 1 { write(&output) }
            return true
        }
    }

    /// Ends a call that `received` began.
    package func finished() {
        output.change { output in
            output.calls -= 1
            update(output)
        }
    }

    func writeQueued() {
        output.change { write(&$0) }
    }

    /// Writes without waiting, as much as the socket takes.
    private func write(_ output: inout Output) {
        while !output.isClosed, let line = output.queue.first {
            let count = line.withBytes { bytes in
                unsafe bytes.withUnsafeBytes { bytes in
                    let rest = unsafe bytes.baseAddress?.advanced(by: output.written)
                    return unsafe Glibc.send(
                        descriptor, rest, bytes.count - output.written, Int32(MSG_NOSIGNAL))
                }
            }
            if count < 0 {
                if errno == EINTR { continue }
                if errno != EAGAIN { output.isBroken = true }
                break
            }
            output.written += count
            output.bytes -= count
            guard output.written == line.count else { continue }
            output.written = 0
            output.queue.removeFirst().wipe()
        }
        update(output)
    }

    /// Tells the poller what to wait for; a client with many calls in progress is not read.
    private func update(_ output: borrowing Output) {
        if output.isClosed { return }
        var interest: Poller.Interest = []
        if output.calls < limits.calls, !output.isAtEnd { interest.insert(.reading) }
        // A client that is done can be written to at once, so that the server closes it.
        if !output.queue.isEmpty || output.isAtEnd && output.isIdle || output.isBroken {
            interest.insert(.writing)
        }
        poller.change(descriptor, interest)
    }

    // MARK: - Input

    /// Reads what has come, and hands its whole lines on; the buffer is wiped.
    func read(_ buffer: UnsafeMutableRawBufferPointer) {
        let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else {
            finishReading()
            return
        }
        let (handler, lines) = input.change { input in
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<count])
            return (input.handler, unsafe split(bytes, &input))
        }
        // A request may hold a passphrase.
        unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]).wipe()
        guard let handler else { return }
        for line in lines {
            switch line {
            case .whole(let bytes):
                output.change { output in
                    output.calls += 1
                    update(output)
                }
                handler.received(bytes)
            case .tooLong: handler.receivedLongLine()
            }
        }
    }

    private enum Line {
        case whole(WipedBytes)
        case tooLong
    }

    private func split(_ bytes: UnsafeRawBufferPointer, _ input: inout Input) -> [Line] {
        var lines: [Line] = []
        var rest = unsafe bytes[...]
        while let end = unsafe rest.firstIndex(of: 0x0a) {
            unsafe take(UnsafeRawBufferPointer(rebasing: rest[..<end]), &input)
            if input.isSkipping {
                lines.append(.tooLong)
            } else if input.line.count > 0 {
                lines.append(.whole(input.line))
            }
            (input.line, input.isSkipping) = (WipedBytes(), false)
            input.hasSpoken = true
            unsafe rest = rest[(end + 1)...]
        }
        unsafe take(UnsafeRawBufferPointer(rebasing: rest), &input)
        return lines
    }

    private func take(_ bytes: UnsafeRawBufferPointer, _ input: inout Input) {
        if input.isSkipping { return }
        guard input.line.count + bytes.count <= limits.line else {
            (input.line, input.isSkipping) = (WipedBytes(), true)
            return
        }
        unsafe input.line.append(bytes)
    }

    // MARK: - End

    /// Reads no more lines: the client has closed its side, or the server stops.
    func finishReading() {
        output.change { output in
            output.isAtEnd = true
            update(output)
        }
    }

    /// Whether the client can be closed: all is answered and written, or writing failed.
    var isDone: Bool { output.change { $0.isBroken || $0.isAtEnd && $0.isIdle } }

    /// Closes the socket, and tells the handler.
    func close() {
        let isFirst = output.change { output in
            if output.isClosed { return false }
            output.isClosed = true
            output.queue = []
            poller.remove(descriptor)
            _ = Glibc.close(descriptor)
            return true
        }
        guard isFirst else { return }
        let handler = input.change { input in
            input.line = WipedBytes()
            defer { input.handler = nil }
            return input.handler
        }
        handler?.closed()
    }
}
