internal import CLinux
internal import Glibc

/// Standard input and output as one socket, for a `LineServer`.
///
/// Files and terminals can't be polled, so two threads copy between them and a pair of sockets.
package final class StandardPipe: Sendable {
    /// The server's end.
    let descriptor: Int32
    private let inward = WorkThread()
    private let outward = WorkThread()
    private let isWritten = Monitor(false)

    /// Begins to read standard input.
    package init() throws(SystemError) {
        var pair: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        _ = try SystemCall.check("open", "a pair of sockets") {
            Int(unsafe socketpair(AF_UNIX, type, 0, &pair))
        }
        let (mine, other) = (pair[0], pair[1])
        _ = fcntl(mine, F_SETFL, O_NONBLOCK)
        descriptor = mine
        inward.run {
            Self.copy(from: 0, "standard input", to: other, "the server")
            _ = shutdown(other, Int32(SHUT_WR))
            return {}
        }
        let isWritten = isWritten
        outward.run {
            Self.copy(from: other, "the server", to: 1, "standard output")
            // Without a reader, the server need not go on.
            _ = shutdown(other, Int32(SHUT_RDWR))
            isWritten.change { $0 = true }
            return {}
        }
    }

    /// Waits until everything that the server sent is written.
    package func waitUntilWritten() {
        isWritten.change(when: { $0 }) { _ in }
    }

    private static func copy(
        from source: Int32, _ sourceName: String, to target: Int32, _ targetName: String
    ) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
        defer { unsafe buffer.deallocate() }
        while true {
            // A failure ends the copying: what is broken is the same as closed.
            let count = try? SystemCall.check("read", sourceName) {
                unsafe read(source, buffer.baseAddress, buffer.count)
            }
            guard let count, count > 0 else { return }
            let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            // A request may hold a passphrase.
            defer { unsafe piece.wipe() }
            do throws(SystemError) {
                try unsafe SystemCall.writeAll(
                    target, targetName, UnsafeRawBufferPointer(piece))
            } catch {
                return
            }
        }
    }
}
