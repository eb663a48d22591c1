internal import Glibc

/// The running program: how it ends and what it leaves behind.
package enum Process {
    /// Ends the program at once with a status that a shell can read.
    package static func exit(_ status: Int32) -> Never {
        Glibc.exit(status)
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

    /// Makes writing to a closed pipe an error that can be handled, not the program's end.
    package static func ignoreBrokenPipes() {
        _ = signal(SIGPIPE, SIG_IGN)
    }
}
