internal import Glibc

/// Standard input, output and error, without buffers of their own.
package enum StandardStreams {
    /// One of the two streams to write to.
    package enum Output: Int32, Sendable {
        case output = 1
        case error = 2

        fileprivate var name: String { self == .output ? "standard output" : "standard error" }
    }

    /// Writes all bytes; a reader that has gone is the error `brokenPipe`.
    package static func write(_ bytes: [UInt8], to stream: Output) throws(SystemError) {
        try SystemCall.writeAll(stream.rawValue, stream.name, bytes)
    }

    /// Writes a text as UTF-8.
    package static func write(_ text: String, to stream: Output) throws(SystemError) {
        try write([UInt8](text.utf8), to: stream)
    }

    /// Reads standard input to its end; more than `limit` bytes are refused.
    package static func readAll(limit: Int) throws(SystemError) -> [UInt8] {
        try SystemCall.readAll(0, "standard input", limit: limit)
    }

    /// Reads a line without its line feed; nil at the end; more than `limit` bytes are refused.
    package static func readLine(limit: Int) throws(SystemError) -> [UInt8]? {
        // One byte a call: what follows the line stays unread, for whoever reads next.
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
