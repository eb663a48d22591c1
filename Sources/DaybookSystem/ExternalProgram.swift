internal import Glibc

/// Another program, which is found in `PATH` and run without a shell.
package struct ExternalProgram: Sendable {
    /// The program's file.
    package let path: String

    /// Finds the first executable file with a name in `PATH`; nil if there is none.
    package init?(named name: String) {
        let folders = (EnvironmentVariables.value("PATH") ?? "").split(separator: ":")
        let paths = folders.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
        let found = paths.first { path in
            let isFile = (try? Files.information(path))?.kind == .file
            return unsafe isFile && access(path, X_OK) == 0
        }
        guard let found else { return nil }
        path = found
    }

    /// Runs the program and waits for its end; returns its status and the output, cut at `limit`.
    ///
    /// The status of a program that a signal has ended is 128 and the signal.
    package func run(
        _ arguments: [String], limit: Int = 4096
    ) throws(SystemError) -> (status: Int32, output: [UInt8]) {
        var pipes: [Int32] = [0, 0]
        _ = try SystemCall.check("open", "a pipe") { Int(unsafe pipe(&pipes)) }
        // The program inherits only the duplicate that is its output.
        for pipe in pipes { _ = fcntl(pipe, F_SETFD, FD_CLOEXEC) }
        let child: pid_t
        do throws(SystemError) {
            child = try spawn(arguments, output: pipes[1], isDetached: false)
        } catch {
            for pipe in pipes { _ = close(pipe) }
            throw error
        }
        _ = close(pipes[1])
        defer { _ = close(pipes[0]) }
        let output = try Self.readAll(pipes[0], limit: limit)
        var status: Int32 = 0
        _ = try SystemCall.check("wait for", path) { Int(unsafe waitpid(child, &status, 0)) }
        return (Self.exitStatus(status), output)
    }

    /// Starts the program in a session of its own, without streams.
    ///
    /// It goes on after this process.
    package func start(_ arguments: [String]) throws(SystemError) -> StartedProgram {
        StartedProgram(child: try spawn(arguments, output: nil, isDetached: true))
    }

    /// POSIX_SPAWN_SETSID of spawn.h, which is hidden where no GNU extensions are asked for.
    private static let inSessionOfItsOwn: Int32 = 0x80

    private func spawn(
        _ arguments: [String], output: Int32?, isDetached: Bool
    ) throws(SystemError) -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        if let output {
            unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
        } else {
            unsafe posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        }
        unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // This process ignores SIGPIPE, and a new program would inherit that.
        var signals = sigset_t()
        _ = unsafe sigemptyset(&signals)
        _ = unsafe sigaddset(&signals, SIGPIPE)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        let flags = Int32(POSIX_SPAWN_SETSIGDEF) | (isDetached ? Self.inSessionOfItsOwn : 0)
        unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
        let texts = [path] + arguments
        var words: [UnsafeMutablePointer<CChar>?] = unsafe []
        for text in texts { unsafe words.append(strdup(text)) }
        defer { for index in texts.indices { unsafe free(words[index]) } }
        unsafe words.append(nil)
        var child: pid_t = 0
        let code = unsafe posix_spawn(&child, path, &actions, &attributes, &words, environ)
        if code != 0 {
            throw SystemError(code: Errno(rawValue: code), operation: "start", path: path)
        }
        return child
    }

    /// Reads to the end, so that the program never waits, and keeps the first `limit` bytes.
    private static func readAll(_ pipe: Int32, limit: Int) throws(SystemError) -> [UInt8] {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = try SystemCall.check("read", "a program's output") {
                unsafe read(pipe, &buffer, buffer.count)
            }
            if count == 0 { return output }
            output += buffer[..<min(count, limit - output.count)]
        }
    }

    fileprivate static func exitStatus(_ status: Int32) -> Int32 {
        // wait(2): the low seven bits are the signal, the next byte the status.
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }
}

/// A program that was started and is not waited for.
package struct StartedProgram: Sendable {
    fileprivate let child: pid_t

    /// The program's status, if it ends within some time; nil if it goes on.
    package func status(within limit: Duration) async -> Int32? {
        let end = ContinuousClock.now + limit
        while true {
            var status: Int32 = 0
            let found = unsafe waitpid(child, &status, WNOHANG)
            if found == child { return ExternalProgram.exitStatus(status) }
            if found < 0 && errno != EINTR || ContinuousClock.now >= end { return nil }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}
