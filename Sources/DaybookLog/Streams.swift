internal import DaybookCrypto
package import DaybookEncoding

/// The extent of a stream: its first event, its last event, and how many it has.
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

    /// Decodes a head of 24 bytes; nil for other bytes.
    package init?(_ bytes: Bytes) {
        guard bytes.count == 24, let first = BigEndian.exactly(bytes.prefix(8)),
            let count = BigEndian.exactly(bytes[8..<16]),
            let last = BigEndian.exactly(bytes.suffix(8))
        else { return nil }
        self.init(first: first, count: count, last: last)
    }

    /// The head encoded in 24 bytes.
    package var bytes: Bytes {
        BigEndian.bytes(first) + BigEndian.bytes(count) + BigEndian.bytes(last)
    }

    /// The head after one more event; `head` is nil for the first event.
    static func after(_ head: StreamHead?, at position: UInt64) -> StreamHead {
        StreamHead(
            first: head?.first ?? position, count: (head?.count ?? 0) &+ 1, last: position)
    }
}

/// A digest over the heads of all streams, which are added in the order of their names' bytes.
///
/// SHA-256 over, for each stream, the name's length, the name, the position of the first event and
/// the number of events; every number has eight bytes.
package struct StreamsDigest: ~Copyable {
    private var hasher = SHA256Hasher()

    /// The digest of no streams.
    package init() {}

    /// Adds the next stream.
    package mutating func add(_ name: Bytes, _ head: StreamHead) {
        hasher.update(BigEndian.bytes(UInt64(name.count)))
        hasher.update(name)
        hasher.update(BigEndian.bytes(head.first))
        hasher.update(BigEndian.bytes(head.count))
    }

    /// The digest of the streams that were added.
    package consuming func finish() -> Bytes {
        hasher.finish()
    }
}

extension LogReading where Self: ~Copyable {
    /// The digest over the heads of all streams.
    package func streamsDigest() throws -> Bytes {
        var digest = StreamsDigest()
        var isWrong = false
        derived.streams.walk { name, value in
            if let head = StreamHead(value) { digest.add(name, head) } else { isWrong = true }
        }
        guard !isWrong else {
            throw LogError.damaged(position: nil, reason: "the head of a stream is wrong")
        }
        return digest.finish()
    }
}
