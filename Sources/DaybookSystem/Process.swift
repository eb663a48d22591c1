internal import CLinux
internal import Glibc

/// The running program: how it ends and what it leaves behind.
package enum Process {
    /// Ends the program at once with a status that a shell can read.
    package static func exit(_ status: Int32) -> Never {
        Glibc.exit(status)
    }

    /// The words after the program's name, as they came: they need not be UTF-8.
    package static var arguments: [[UInt8]] {
        var words: [[UInt8]] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let word = unsafe CommandLine.unsafeArgv[index] else { break }
            let bytes = unsafe UnsafeBufferPointer(start: word, count: strlen(word))
            words.append(unsafe bytes.map { UInt8(bitPattern: $0) })
        }
        return words
    }

    /// The number of this process.
    package static var identifier: Int32 { getpid() }

    /// Keeps what is in memory there: no core dump, and no other process of the user's looks in.
    ///
    /// A child that becomes another program has to do the same again.
    package static func hideMemory() throws(SystemError) {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = try SystemCall.check("forbid", "core dumps") {
            Int(unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none))
        }
        _ = try SystemCall.check("hide", "memory") { Int(daybook_forbid_dumps()) }
    }

    /// Fails now if no thread, no room for those of the runtime, or few descriptors are to be had.
    ///
    /// Swift's runtime can't do without either, and where it lacks them later it waits for ever or
    /// ends the program.
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

    /// How many processors the process may run on, as `taskset` or a container limits them.
    package static var cores: Int { max(1, Int(daybook_cores())) }

    /// Whether the runtime could map the stacks of all its threads now; else it waits for ever.
    package static var hasRoomForThreads: Bool {
        let threads = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) + threadsBesides
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        let room = unsafe mmap(nil, threads * stackBytes, PROT_NONE, flags, -1, 0)
        guard unsafe room != MAP_FAILED else { return false }
        return unsafe munmap(room, threads * stackBytes) == 0
    }

    /// The runtime has a thread for each processor, and few for what waits.
    private static let threadsBesides = 2
    private static let stackBytes = 8 << 20

    /// Twice what a store, its sandbox and a call of a node have open at a time.
    private static let descriptorsNeeded = 32

    /// Occupies those of the streams 0, 1 and 2 that the program was started without.
    ///
    /// Else the next file that is opened would get the number, and what is printed would go into
    /// it, a database for example. Using such a stream stays an error: each is opened for the
    /// direction that nobody uses it in.
    package static func holdStandardStreams() throws(SystemError) {
        for (stream, flags) in [(Int32(0), O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)] {
            var information = stat()
            if unsafe fstat(stream, &information) == 0 || errno != EBADF { continue }
            _ = try SystemCall.check("open", "/dev/null") { Int(unsafe open("/dev/null", flags)) }
        }
    }

    /// Makes writing to a closed pipe an error that can be handled, not the program's end.
    package static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }

    /// Ends the process as one that writes to a closed pipe ends: without a word, by the signal.
    ///
    /// A shell sees the status 141, as it does of other tools.
    package static func endByBrokenPipe() -> Never {
        _ = signal(SIGPIPE, SIG_DFL)
        _ = raise(SIGPIPE)
        exit(128 + SIGPIPE)
    }
}
