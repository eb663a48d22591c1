import DaybookSystem

/// A clock that a test sets; it goes on by a millisecond each time that it is read.
///
/// For example, a request expires:
///
///     test.clock.advance(seconds: 3600)
///     #expect(try await test.store.pending().isEmpty)
public final class TestClock: Sendable {
    private let now: Monitor<UInt64>

    /// A clock that shows a time in microseconds since 1970; without one, a time in 2027.
    public init(microseconds: UInt64 = 1_800_000_000_000_000) {
        now = Monitor(microseconds)
    }

    /// The time in microseconds since 1970.
    public var microseconds: UInt64 {
        get { now.change { $0 } }
        set { now.change { $0 = newValue } }
    }

    /// Lets time pass.
    public func advance(seconds: UInt64) {
        now.change { $0 += seconds * 1_000_000 }
    }

    /// The time for the store: two events of different calls have different times.
    func read() -> UInt64 {
        now.change { now in
            now += 1000
            return now
        }
    }
}
