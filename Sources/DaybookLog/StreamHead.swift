package import DaybookEncoding

/// Where a stream began and how many events it has.
package struct StreamHead: Equatable, Sendable {
    /// The position of the first event: what stands for the stream in the index.
    package let first: UInt64
    /// How many events it has.
    package let count: UInt64

    /// The head of a stream with events.
    package init(first: UInt64, count: UInt64) {
        self.first = first
        self.count = count
    }

    /// The head in 16 bytes; nil for others.
    package init?(_ bytes: Bytes) {
        guard bytes.count == 16, let first = BigEndian.exactly(bytes.prefix(8)),
            let count = BigEndian.exactly(bytes.suffix(8))
        else { return nil }
        self.init(first: first, count: count)
    }

    /// The head in 16 bytes.
    package var bytes: Bytes { BigEndian.bytes(first) + BigEndian.bytes(count) }
}
