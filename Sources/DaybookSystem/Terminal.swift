internal import Glibc

/// The terminal that the program was started from.
package enum Terminal {
    /// Whether a stream (0, 1, 2) is a terminal.
    package static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    /// The number of columns of the terminal of a stream (0, 1, 2); nil if unknown.
    package static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return Int(size.ws_col)
    }

    /// Reads a secret from the terminal with echo off; Ctrl-C throws `interrupted`.
    ///
    /// The caller wipes the bytes. The settings are always restored: keys raise no signals
    /// meanwhile, and signals from elsewhere are deferred until then, so that no shell is left
    /// without echo.
    package static func readPassphrase(
        prompt: String, limit: Int = 1024
    ) throws(SystemError) -> [UInt8] {
        let terminal = try Descriptor("/dev/tty", O_RDWR | O_NOCTTY)
        let signals = SignalHold()
        var before = termios()
        _ = try SystemCall.check("inspect", "terminal") {
            Int(unsafe tcgetattr(terminal.number, &before))
        }
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG | ICANON)
        try set(&silent, on: terminal)
        let answer: Result<[UInt8], SystemError>
        do throws(SystemError) {
            try terminal.write([UInt8](prompt.utf8))
            answer = .success(try readLine(terminal, signals, limit: limit))
        } catch {
            answer = .failure(error)
        }
        try set(&before, on: terminal)
        try terminal.write([0x0a])
        return try answer.get()
    }

    private static func set(
        _ settings: inout termios, on terminal: borrowing Descriptor
    ) throws(SystemError) {
        let number = terminal.number
        _ = try SystemCall.check("set", "terminal") {
            Int(unsafe tcsetattr(number, TCSAFLUSH, &settings))
        }
    }

    private static func readLine(
        _ terminal: borrowing Descriptor, _ signals: borrowing SignalHold, limit: Int
    ) throws(SystemError) -> [UInt8] {
        var line: [UInt8] = []
        // A growing array would leave copies of the secret behind.
        line.reserveCapacity(limit)
        var byte: UInt8 = 0
        while true {
            let number = terminal.number
            try signals.waitForInput(number)
            let count = try SystemCall.check("read", "terminal") { unsafe read(number, &byte, 1) }
            switch (count, byte) {
            case (0, _), (_, 0x0a), (_, 0x0d), (_, 0x04):
                return line
            case (_, 0x03), (_, 0x1c):
                wipe(&line)
                throw SystemError(code: .interrupted, operation: "read", path: "terminal")
            case (_, 0x7f), (_, 0x08):
                removeLastCharacter(&line)
            case (_, 0x15):
                wipe(&line)
            case _ where line.count == limit:
                wipe(&line)
                throw SystemError(code: .fileTooLarge, operation: "read", path: "terminal")
            default:
                line.append(byte)
            }
        }
    }

    /// Removes a whole UTF-8 character, as the terminal's own line editor does.
    private static func removeLastCharacter(_ line: inout [UInt8]) {
        while let last = line.popLast(), last & 0xc0 == 0x80 {}
    }

    private static func wipe(_ line: inout [UInt8]) {
        for index in line.indices { line[index] = 0 }
        line.removeAll(keepingCapacity: true)
    }
}

/// Standard input, output and error, without buffering.
package enum StandardStreams {
    /// An output stream.
    package enum Output: Int32, Sendable {
        case output = 1
        case error = 2

        fileprivate var name: String { self == .output ? "standard output" : "standard error" }
    }

    /// Writes all bytes; throws `brokenPipe` if the reader has closed the pipe.
    package static func write(_ bytes: [UInt8], to stream: Output) throws(SystemError) {
        try SystemCall.writeAll(stream.rawValue, stream.name, bytes)
    }

    /// Writes a text as UTF-8.
    package static func write(_ text: String, to stream: Output) throws(SystemError) {
        try write([UInt8](text.utf8), to: stream)
    }

    /// Reads standard input to its end; throws if there are more than `limit` bytes.
    package static func readAll(limit: Int) throws(SystemError) -> [UInt8] {
        try SystemCall.readAll(0, "standard input", limit: limit)
    }

    /// Reads a line without its line feed; nil at the end; throws beyond `limit` bytes.
    package static func readLine(limit: Int) throws(SystemError) -> [UInt8]? {
        // One byte a call, so that the bytes after the line stay unread.
        var line: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            let count = try SystemCall.check("read", "standard input") {
                unsafe read(0, &byte, 1)
            }
            if count == 0 { return line.isEmpty ? nil : line }
            if byte == 0x0a { return line }
            if line.count == limit {
                throw SystemError(
                    code: .fileTooLarge, operation: "read", path: "standard input")
            }
            line.append(byte)
        }
    }
}
