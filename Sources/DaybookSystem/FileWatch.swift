internal import Dispatch
internal import Glibc

/// Calls a closure after each write to a file, by any process, until the watch is ended.
///
/// The kernel reports the writes (inotify(7)). A report may come before the write counts: LMDB
/// names a commit in its lock file just after it has written the page that inotify reports. So the
/// closure is called again a little later, and at a fixed interval, which is also all that there
/// is where the user's inotify instances are used up or the file is missing.
///
/// Safe because Dispatch's sources may be used on any thread.
@safe
package final class FileWatch: Sendable {
    private nonisolated(unsafe) let timer: any DispatchSourceProtocol
    private nonisolated(unsafe) let source: (any DispatchSourceProtocol)?
    /// Whether the kernel reports the writes.
    package let isNotified: Bool

    /// Starts a watch; `changed` runs on a thread of Dispatch's, one call at a time.
    ///
    /// Several writes may lead to one call. `milliseconds` is the interval; without a path it is
    /// all that there is.
    package init(
        of path: String?, orEvery milliseconds: Int, _ changed: @escaping @Sendable () -> Void
    ) {
        let queue = DispatchQueue(label: "daybook.watch")
        let timer = DispatchSource.makeTimerSource(queue: queue)
        func call(in delay: Int) {
            timer.schedule(
                deadline: .now() + .milliseconds(delay), repeating: .milliseconds(milliseconds),
                leeway: .milliseconds(delay / 4))
        }
        call(in: milliseconds)
        timer.setEventHandler { changed() }
        unsafe self.timer = timer
        if let descriptor = path.flatMap({ Self.watch($0) }) {
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler {
                Self.drain(descriptor)
                changed()
                call(in: 20)
            }
            // Dispatch may use the descriptor until it has cancelled the source.
            source.setCancelHandler { _ = close(descriptor) }
            unsafe self.source = source
            source.resume()
            isNotified = true
        } else {
            unsafe source = nil
            isNotified = false
        }
        unsafe self.timer.resume()
    }

    deinit {
        unsafe timer.cancel()
        unsafe source?.cancel()
    }

    /// A descriptor that becomes readable when the file is written to; nil if there can be none.
    private static func watch(_ path: String) -> Int32? {
        // IN_CLOEXEC and IN_NONBLOCK are these flags of open(2).
        let descriptor = inotify_init1(O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        guard unsafe inotify_add_watch(descriptor, path, UInt32(IN_MODIFY)) >= 0 else {
            _ = close(descriptor)
            return nil
        }
        return descriptor
    }

    /// Reads all events and drops them: which bytes were written does not matter.
    private static func drain(_ descriptor: Int32) {
        unsafe withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while unsafe read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
    }
}
