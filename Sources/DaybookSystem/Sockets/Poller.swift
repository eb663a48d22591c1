internal import CLinux
internal import Glibc

/// Waits until one of many descriptors can be read or written (epoll(7)).
final class Poller: Sendable {
    /// The events to wait for.
    struct Interest: OptionSet {
        let rawValue: UInt32
        static let reading = Interest(rawValue: EPOLLIN.rawValue)
        static let writing = Interest(rawValue: EPOLLOUT.rawValue)
    }

    /// The events of a descriptor.
    struct Event {
        let canRead: Bool
        let canWrite: Bool
        let isClosed: Bool

        fileprivate init(_ bits: UInt32) {
            canRead = bits & EPOLLIN.rawValue != 0
            canWrite = bits & EPOLLOUT.rawValue != 0
            // With EPOLLIN there may be lines that were sent before the end.
            isClosed = bits & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 && !canRead
        }
    }

    private static let batch = 64
    private let descriptor: Int32
    /// An eventfd(2) that interrupts `wait`.
    private let waker: Int32

    init() throws(SystemError) {
        let descriptor = try SystemCall.check("open", "an event queue") {
            Int(epoll_create1(Int32(bitPattern: UInt32(EPOLL_CLOEXEC))))
        }
        self.descriptor = Int32(descriptor)
        do throws(SystemError) {
            waker = Int32(
                try SystemCall.check("open", "an event counter") {
                    Int(eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)))
                })
        } catch {
            _ = close(Int32(descriptor))
            throw error
        }
        try add(waker, .reading)
    }

    deinit {
        _ = close(waker)
        _ = close(descriptor)
    }

    func add(_ number: Int32, _ interest: Interest) throws(SystemError) {
        var event = unsafe epoll_event(events: interest.rawValue, data: epoll_data_t(fd: number))
        _ = try SystemCall.check("watch", "a socket") {
            Int(unsafe epoll_ctl(descriptor, EPOLL_CTL_ADD, number, &event))
        }
    }

    func change(_ number: Int32, _ interest: Interest) {
        var event = unsafe epoll_event(events: interest.rawValue, data: epoll_data_t(fd: number))
        _ = unsafe epoll_ctl(descriptor, EPOLL_CTL_MOD, number, &event)
    }

    func remove(_ number: Int32) {
        _ = epoll_ctl(descriptor, EPOLL_CTL_DEL, number, nil)
    }

    /// Ends a `wait` early.
    func wake() {
        var one: UInt64 = 1
        _ = unsafe write(waker, &one, 8)
    }

    /// Waits for events; none if it was woken, or after some milliseconds unless negative.
    func wait(milliseconds: Int32 = -1) throws(SystemError) -> [(descriptor: Int32, event: Event)] {
        var events = unsafe [epoll_event](repeating: epoll_event(), count: Self.batch)
        let count = try SystemCall.check("wait for", "clients") {
            Int(unsafe epoll_wait(descriptor, &events, Int32(Self.batch), milliseconds))
        }
        var found: [(descriptor: Int32, event: Event)] = []
        for index in 0..<count {
            let number = unsafe events[index].data.fd
            if number == waker {
                var count: UInt64 = 0
                _ = unsafe read(waker, &count, 8)
            } else {
                found.append((number, Event(unsafe events[index].events)))
            }
        }
        return found
    }
}
