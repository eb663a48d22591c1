internal import CLinux
internal import Glibc

/// Another program, which is found in `PATH` and run without a shell.
package struct ExternalProgram: Sendable {
    /// The program's file.
    package let path: String

    /// Finds the first executable file with a name in `PATH`; nil if there is none.
    package init?(named name: String) {
        let folders = (EnvironmentVariables.value("PATH") ?? "").split(separator: ":")
        let paths = folders.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
        guard let found = paths.first(where: Self.isExecutable) else { return nil }
        path = found
    }

    /// Finds the program that a command line names: by a path from the root, or a name in `PATH`.
    package init?(word: String) {
        if !word.contains("/") {
            self.init(named: word)
        } else if word.hasPrefix("/"), Self.isExecutable(word) {
            self.init(at: word)
        } else {
            return nil
        }
    }

    private static func isExecutable(_ path: String) -> Bool {
        let isFile = (try? Files.information(path))?.kind == .file
        return unsafe isFile && access(path, X_OK) == 0
    }

    /// The program in a file.
    package init(at path: String) { self.path = path }

    /// Runs the program and waits for its end; returns its status and the output, cut at `limit`.
    package func run(
        _ arguments: [String], limit: Int = 4096
    ) throws(SystemError) -> (status: Int32, output: [UInt8]) {
        var pipes: [Int32] = [0, 0]
        _ = try SystemCall.check("open", "a pipe") { Int(unsafe pipe(&pipes)) }
        // The program inherits only the duplicate that is its output.
        for pipe in pipes { _ = fcntl(pipe, F_SETFD, FD_CLOEXEC) }
        let program: StartedProgram
        do throws(SystemError) {
            program = try start(arguments, Streams(output: pipes[1]), isDetached: false)
        } catch {
            for pipe in pipes { _ = close(pipe) }
            throw error
        }
        _ = close(pipes[1])
        defer { _ = close(pipes[0]) }
        let output = try Self.readAll(pipes[0], limit: limit)
        return (try program.wait(), output)
    }

    /// The descriptors that become a program's standard streams; nil for `/dev/null`.
    package struct Streams {
        var input: Int32?
        var output: Int32?
        var error: Int32?

        package init(input: Int32? = nil, output: Int32? = nil, error: Int32? = nil) {
            self.input = input
            self.output = output
            self.error = error
        }
    }

    /// Starts the program, which inherits no descriptor but its streams.
    ///
    /// So a pipe ends when those end that it was meant for, whatever else is started at the same
    /// time. A detached program is in a session of its own. `environment` has a text `NAME=VALUE`
    /// for each variable; nil stands for this process's variables, and for its folder.
    package func start(
        _ arguments: [String], _ streams: Streams = Streams(), environment: [String]? = nil,
        in folder: String? = nil, isDetached: Bool = true
    ) throws(SystemError) -> StartedProgram {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in [streams.input, streams.output, streams.error].enumerated() {
            let number = Int32(number)
            if let stream {
                unsafe posix_spawn_file_actions_adddup2(&actions, stream, number)
            } else {
                let flags = number == 0 ? O_RDONLY : O_WRONLY
                unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", flags, 0)
            }
        }
        if let folder { _ = unsafe daybook_change_folder(&actions, folder) }
        _ = unsafe daybook_close_from(&actions, 3)
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
        var words = unsafe Self.copies([path] + arguments)
        var variables = unsafe Self.copies(environment ?? [])
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var child: pid_t = 0
        let code = unsafe environment == nil
            ? posix_spawn(&child, path, &actions, &attributes, &words, environ)
            : posix_spawn(&child, path, &actions, &attributes, &words, &variables)
        if code != 0 {
            throw SystemError(code: Errno(rawValue: code), operation: "start", path: path)
        }
        return StartedProgram(path: path, id: child)
    }

    /// POSIX_SPAWN_SETSID of spawn.h, which is hidden where no GNU extensions are asked for.
    private static let inSessionOfItsOwn: Int32 = 0x80

    /// Copies of texts for C, and a null behind them; the caller frees them.
    private static func copies(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        unsafe texts.map { unsafe strdup($0) } + [nil]
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
}

/// A program that was started.
package struct StartedProgram: Sendable {
    fileprivate let path: String
    /// Its process id.
    package let id: Int32

    /// Waits for its end and returns its status, once.
    ///
    /// The status of a program that a signal has ended is 128 and the signal.
    package func wait() throws(SystemError) -> Int32 {
        var status: Int32 = 0
        _ = try SystemCall.check("wait for", path) { Int(unsafe waitpid(id, &status, 0)) }
        return Self.exitStatus(status)
    }

    /// Its status, if it ends within some time; nil if it goes on.
    package func status(within limit: Duration) async -> Int32? {
        let end = ContinuousClock.now + limit
        while true {
            var status: Int32 = 0
            let found = unsafe waitpid(id, &status, WNOHANG)
            if found == id { return Self.exitStatus(status) }
            if found < 0 && errno != EINTR || ContinuousClock.now >= end { return nil }
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    private static func exitStatus(_ status: Int32) -> Int32 {
        // wait(2): the low seven bits are the signal, the next byte the status.
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }
}
