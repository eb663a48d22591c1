internal import Glibc

/// Holds back the signals that end a program, until something that must be undone is undone.
struct SignalHold: ~Copyable {
    private let before: sigset_t

    init() {
        var held = sigset_t()
        var before = sigset_t()
        unsafe sigemptyset(&held)
        for signal in Self.ending {
            unsafe sigaddset(&held, signal)
        }
        unsafe pthread_sigmask(SIG_BLOCK, &held, &before)
        self.before = before
    }

    /// Lets the signals through again: one that came meanwhile takes effect now.
    deinit {
        var mask = before
        unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
    }

    /// Returns when the descriptor can be read; a signal that came first is `interrupted`.
    func waitForInput(_ descriptor: Int32) throws(SystemError) {
        while true {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            // The held signals do not end the wait, so it looks for them a few times a second.
            let ready = try SystemCall.check("read", "terminal") {
                unsafe Int(poll(&waiting, 1, 200))
            }
            var pending = sigset_t()
            unsafe sigpending(&pending)
            if Self.ending.contains(where: { unsafe sigismember(&pending, $0) == 1 }) {
                throw SystemError(code: .interrupted, operation: "read", path: "terminal")
            }
            if ready > 0 { return }
        }
    }

    private static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
}
