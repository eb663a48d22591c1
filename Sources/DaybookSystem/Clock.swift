internal import Glibc

/// The system's clock: read once per input, at the top of a facade call.
package enum Clock {
    /// Microseconds since 1970-01-01 UTC, without leap seconds.
    package static func nowMicroseconds() -> UInt64 {
        microseconds(CLOCK_REALTIME)
    }

    /// Microseconds of a monotonic clock, for durations only.
    package static func monotonicMicroseconds() -> UInt64 {
        microseconds(CLOCK_MONOTONIC)
    }

    private static func microseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        let result = unsafe clock_gettime(clock, &time)
        precondition(result == 0, "both clocks exist on every Linux and the pointer is valid")
        let seconds = UInt64(clamping: time.tv_sec)
        return seconds * 1_000_000 + UInt64(clamping: time.tv_nsec) / 1_000
    }
}

/// Waiting for something that tells nobody when it happens.
package enum Pause {
    /// Blocks the thread for a short time; a signal may end it early.
    package static func milliseconds(_ count: Int) {
        var time = timespec(tv_sec: count / 1000, tv_nsec: count % 1000 * 1_000_000)
        unsafe nanosleep(&time, nil)
    }
}

/// Random bytes from the kernel, suitable for keys.
package enum Entropy {
    /// `count` bytes of `getentropy(3)`, which blocks only shortly after the machine was started.
    package static func bytes(_ count: Int) throws(SystemError) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            // The C library allows at most 256 bytes a call.
            let length = min(256, count - done)
            _ = try SystemCall.check("read", "random bytes") {
                unsafe result.withUnsafeMutableBytes { all in
                    guard let start = all.baseAddress else { return 0 }
                    return Int(unsafe getentropy(start.advanced(by: done), length))
                }
            }
            done += length
        }
        return result
    }
}
