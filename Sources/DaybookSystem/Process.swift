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

    /// Forbids core dumps, so that no key in memory reaches the disk after a crash.
    package static func disableCoreDumps() throws(SystemError) {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = try SystemCall.check("forbid", "core dumps") {
            Int(unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none))
        }
    }

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
}
