internal import CLinux

/// A connection to the server at a Unix socket, which answers lines by lines.
package struct LineConnection: ~Copyable {
    private let socket: Descriptor

    /// Longer answers are refused.
    private static let limit = 1 << 20

    /// Connects to the server at a path, which has five seconds for each answer.
    package init(to path: String) throws(SystemError) {
        try SystemCall.refuseNUL(in: path)
        let number = try SystemCall.check("connect to", path) { Int(unsafe daybook_connect(path)) }
        socket = Descriptor(taking: Int32(truncatingIfNeeded: number), path)
    }

    /// Sends a line, and returns the next line that comes; both are without line breaks.
    package func call(_ line: [UInt8]) throws(SystemError) -> [UInt8] {
        try socket.write(line + [0x0a])
        var answer: [UInt8] = []
        while answer.last != 0x0a {
            let piece = try socket.readChunk(upTo: 4096)
            guard !piece.isEmpty, answer.count < Self.limit else {
                throw SystemError(code: .invalidArgument, operation: "call", path: socket.path)
            }
            answer += piece
        }
        return answer.dropLast()
    }
}
