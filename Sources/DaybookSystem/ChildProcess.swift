internal import Glibc

/// This program started once more, with the same words, to do what may end it.
///
/// Damaged files can make a C library crash. What a child does can be reported by its parent
/// however the child ended.
package enum ChildProcess {
    /// How a child ended.
    package enum End: Equatable, Sendable {
        /// By itself, with a status.
        case exited(Int32)
        /// By a signal that a crash raises: a bad address, a failed assertion, a trap.
        case crashed(signal: Int32)
        /// By another signal: somebody ended it.
        case ended(signal: Int32)
    }

    /// Names the descriptor on which a child reports; nobody else sets it.
    private static let variable = "DAYBOOK_REPORTS_TO"
    private static let descriptor: Int32 = 3

    /// Writes a line to the parent; nil in a program that nobody watches.
    package static var report: (@Sendable (String) throws(SystemError) -> Void)? {
        guard Environment.value(variable) == String(descriptor) else { return nil }
        return { (line) throws(SystemError) in
            try SystemCall.writeAll(descriptor, "the parent's pipe", Array("\(line)\n".utf8))
        }
    }

    /// Starts this program again with the same words and streams, and waits for its end.
    ///
    /// Returns the last line that the child has reported, too.
    package static func runAgain() throws(SystemError) -> (end: End, lastReport: String?) {
        var pipes: [Int32] = [0, 0]
        _ = try SystemCall.check("open", "a pipe") { Int(unsafe pipe(&pipes)) }
        // The child keeps only the copy that it is given under its number.
        for pipe in pipes { _ = fcntl(pipe, F_SETFD, FD_CLOEXEC) }
        let child: pid_t
        do throws(SystemError) {
            child = try spawn(reportingTo: pipes[1])
        } catch {
            _ = close(pipes[0])
            _ = close(pipes[1])
            throw error
        }
        _ = close(pipes[1])
        let report = try lastLine(pipes[0])
        _ = close(pipes[0])
        var status: Int32 = 0
        _ = try SystemCall.check("wait for", "the child") {
            Int(unsafe waitpid(child, &status, 0))
        }
        return (end(status), report)
    }

    private static func spawn(reportingTo pipe: Int32) throws(SystemError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, pipe, descriptor)
        // The backtracer would only tell at length what the parent says in a line.
        let settings = ["\(variable)=\(descriptor)", "SWIFT_BACKTRACE=enable=no"]
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe []
        for setting in settings { unsafe variables.append(strdup(setting)) }
        defer { for index in settings.indices { unsafe free(variables[index]) } }
        var next = unsafe environ
        while let variable = unsafe next.pointee {
            unsafe variables.append(variable)
            unsafe next += 1
        }
        unsafe variables.append(nil)
        var child: pid_t = 0
        let code = unsafe posix_spawn(
            &child, "/proc/self/exe", &actions, nil, CommandLine.unsafeArgv, &variables)
        if code != 0 {
            throw SystemError(
                code: Errno(rawValue: code), operation: "start", path: "/proc/self/exe")
        }
        return child
    }

    /// Reads to the end and keeps the last whole line, which is short.
    private static func lastLine(_ pipe: Int32) throws(SystemError) -> String? {
        var last: [UInt8]?
        var line: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = try SystemCall.check("read", "the child's reports") {
                unsafe read(pipe, &buffer, buffer.count)
            }
            if count == 0 { return last.map { String(decoding: $0, as: UTF8.self) } }
            for byte in buffer.prefix(count) {
                if byte == 0x0a {
                    last = line
                    line = []
                } else {
                    line.append(byte)
                }
            }
        }
    }

    private static func end(_ status: Int32) -> End {
        // wait(2): the low seven bits are the signal, the next byte the status.
        let signal = status & 0x7f
        if signal == 0 { return .exited((status >> 8) & 0xff) }
        let crashes = [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGFPE]
        return crashes.contains(signal) ? .crashed(signal: signal) : .ended(signal: signal)
    }
}
