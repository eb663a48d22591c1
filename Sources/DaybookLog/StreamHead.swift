package import DaybookEncoding

/// Where a stream began, how many events it has, and where it ends.
package struct StreamHead: Equatable, Sendable {
    /// The position of the first event.
    package let first: UInt64
    /// How many events it has.
    package let count: UInt64
    /// The position of the last event.
    package let last: UInt64

    /// The head of a stream with events.
    package init(first: UInt64, count: UInt64, last: UInt64) {
        self.first = first
        self.count = count
        self.last = last
    }

    /// The head in 24 bytes; nil for others.
    package init?(_ bytes: Bytes) {
        guard bytes.count == 24, let first = BigEndian.exactly(bytes.prefix(8)),
            let count = BigEndian.exactly(bytes[8..<16]),
            let last = BigEndian.exactly(bytes.suffix(8))
        else { return nil }
        self.init(first: first, count: count, last: last)
    }

    /// The head in 24 bytes.
    package var bytes: Bytes {
        BigEndian.bytes(first) + BigEndian.bytes(count) + BigEndian.bytes(last)
    }

    /// The head when one more event is in the stream; `head` is nil for its first.
    static func after(_ head: StreamHead?, at position: UInt64) -> StreamHead {
        StreamHead(
            first: head?.first ?? position, count: (head?.count ?? 0) &+ 1, last: position)
    }
}
