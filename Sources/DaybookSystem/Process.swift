internal import CLinux
internal import Glibc

/// Runs this program again as a child process, with the same arguments, for work that may crash.
///
/// Damaged files can crash a C library. The parent reports the result however the child ends.
package enum ChildProcess {
    /// How the child ended.
    package enum End: Equatable, Sendable {
        /// It exited with a status.
        case exited(Int32)
        /// It crashed: a signal such as SIGSEGV, SIGABRT or SIGTRAP ended it.
        case crashed(signal: Int32)
        /// Another signal ended it.
        case ended(signal: Int32)
    }

    /// The variable with the descriptor to which the child reports.
    private static let variable = "DAYBOOK_REPORTS_TO"
    private static let descriptor: Int32 = 3

    /// Writes a line to the parent; nil if this process is not such a child.
    package static var report: (@Sendable (String) throws(SystemError) -> Void)? {
        guard EnvironmentVariables.value(variable) == String(descriptor) else { return nil }
        return { (line) throws(SystemError) in
            try SystemCall.writeAll(descriptor, "the parent's pipe", Array("\(line)\n".utf8))
        }
    }

    /// Starts the child with the same arguments and streams, and waits for its end.
    ///
    /// Returns how it ended, and the last line that it reported.
    package static func runAgain() throws(SystemError) -> (end: End, lastReport: String?) {
        var pipes: [Int32] = [0, 0]
        _ = try SystemCall.check("open", "a pipe") { Int(unsafe pipe(&pipes)) }
        // The child inherits only the duplicate with its own number.
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
        // The parent reports a crash in one line; a backtrace would only repeat it at length.
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

    /// Reads to the end and returns the last whole line, which is short.
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

/// The running process.
package enum Process {
    /// Exits the process at once with a status.
    package static func exit(_ status: Int32) -> Never {
        Glibc.exit(status)
    }

    /// The arguments after the program's name, as bytes: they need not be UTF-8.
    package static var arguments: [[UInt8]] {
        var words: [[UInt8]] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let word = unsafe CommandLine.unsafeArgv[index] else { break }
            let bytes = unsafe UnsafeBufferPointer(start: word, count: strlen(word))
            words.append(unsafe bytes.map { UInt8(bitPattern: $0) })
        }
        return words
    }

    /// The process id.
    package static var identifier: Int32 { getpid() }

    /// Protects the memory: no core dumps, and no access by other processes of the user.
    ///
    /// A child that executes another program has to do this again.
    package static func hideMemory() throws(SystemError) {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = try SystemCall.check("forbid", "core dumps") {
            Int(unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none))
        }
        _ = try SystemCall.check("hide", "memory") { Int(daybook_forbid_dumps()) }
    }

    /// Throws if threads, address space for the runtime's threads, or descriptors are lacking.
    ///
    /// Swift's runtime hangs or crashes where it lacks them later.
    package static func checkResources() throws(SystemError) {
        var thread = pthread_t()
        let code = unsafe pthread_create(&thread, nil, { _ in nil }, nil)
        if code != 0 {
            throw SystemError(code: Errno(rawValue: code), operation: "start", path: "a thread")
        }
        pthread_join(thread, nil)
        guard hasRoomForThreads else {
            throw SystemError(
                code: .outOfMemory, operation: "reserve", path: "room for threads")
        }
        var copies: [Int32] = []
        defer { for copy in copies { _ = close(copy) } }
        for _ in 0..<descriptorsNeeded {
            copies.append(
                Int32(try SystemCall.check("open", "files enough") { Int(dup(2)) }))
        }
    }

    /// Raises the number of files that the process may open to the most that the system allows.
    ///
    /// Returns that number.
    package static func raiseFileLimit() -> Int {
        var limit = rlimit()
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(kind, &limit) == 0 else { return 256 }
        let before = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        let isRaised = unsafe setrlimit(kind, &limit) == 0
        return Int(clamping: isRaised ? limit.rlim_max : before)
    }

    /// Lets each large block of memory be pages of its own, which take no memory until used.
    ///
    /// Otherwise glibc takes blocks from its heap once a large one was freed, and clears them. LMDB
    /// makes 3 MB of them for each file that is written to, and uses a few pages
    /// (mallopt(3), `M_MMAP_THRESHOLD`).
    package static func keepLargeBlocksApart() {
        _ = daybook_set_mmap_threshold(largeBlockBytes)
    }

    private static let largeBlockBytes: Int32 = 524_288

    /// The number of processors available to the process, as limited by `taskset` or a container.
    package static var cores: Int { max(1, Int(daybook_cores())) }

    /// Whether the runtime can map the stacks of all its threads; without them it hangs.
    package static var hasRoomForThreads: Bool {
        let threads = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) + threadsBesides
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        let room = unsafe mmap(nil, threads * stackBytes, PROT_NONE, flags, -1, 0)
        guard unsafe room != MAP_FAILED else { return false }
        return unsafe munmap(room, threads * stackBytes) == 0
    }

    /// The runtime has a thread for each processor, and a few for blocking work.
    private static let threadsBesides = 2
    private static let stackBytes = 8 << 20

    /// Twice the number that a store, its sandbox and a call of a node have open at a time.
    private static let descriptorsNeeded = 32

    /// Opens those of the streams 0, 1 and 2 that the program was started without.
    ///
    /// Otherwise the next file that is opened, such as a database, would get the number, and output
    /// would go into it. Each stream is opened for the wrong direction, so that using it stays an
    /// error.
    package static func holdStandardStreams() throws(SystemError) {
        for (stream, flags) in [(Int32(0), O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)] {
            var information = stat()
            if unsafe fstat(stream, &information) == 0 || errno != EBADF { continue }
            _ = try SystemCall.check("open", "/dev/null") { Int(unsafe open("/dev/null", flags)) }
        }
    }

    /// Ignores SIGPIPE, so that writing to a closed pipe is an error that can be handled.
    package static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Ends the process by SIGPIPE, without a message.
    ///
    /// A shell sees the status 141, as from other tools.
    package static func endByBrokenPipe() -> Never {
        _ = signal(SIGPIPE, SIG_DFL)
        _ = raise(SIGPIPE)
        exit(128 + SIGPIPE)
    }
}

/// A user's folders, by the XDG Base Directory Specification.
package enum UserFolder: String, Sendable {
    case cache = "XDG_CACHE_HOME"
    case config = "XDG_CONFIG_HOME"
    case data = "XDG_DATA_HOME"
    case runtime = "XDG_RUNTIME_DIR"

    /// The folder that the variable names, else the usual one below the user's home.
    ///
    /// Relative paths are ignored, as the specification says. Nil if no variable names a folder.
    package var path: String? {
        func absolute(_ name: String) -> String? {
            EnvironmentVariables.value(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        if let path = absolute(rawValue) { return path }
        guard let home = absolute("HOME") else { return nil }
        return switch self {
        case .cache: home + "/.cache"
        case .config: home + "/.config"
        case .data: home + "/.local/share"
        case .runtime: nil
        }
    }
}

/// The environment variables of the process.
package enum EnvironmentVariables {
    /// The value of a variable; nil if it is not set or not UTF-8.
    package static func value(_ name: String) -> String? {
        guard let text = unsafe getenv(name) else { return nil }
        return unsafe String(validatingCString: text)
    }
}
