internal import DaybookCrypto
package import DaybookEncoding

/// One hash over the heads of all streams, which are added in the order of their names' bytes.
///
/// SHA-256 over each name behind its length, the position of the stream's first event and the
/// number of its events; every number has eight bytes.
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

    /// The digest of what was added.
    package consuming func finish() -> Bytes {
        hasher.finish()
    }
}

extension LogReading where Self: ~Copyable {
    /// The digest over the heads of all streams.
    package func streamsDigest() throws -> Bytes {
        var digest = StreamsDigest()
        var isWrong = false
        content.derived.streams.walk { name, value in
            if let head = StreamHead(value) { digest.add(name, head) } else { isWrong = true }
        }
        guard !isWrong else {
            throw LogError.damaged(position: nil, reason: "the head of a stream is wrong")
        }
        return digest.finish()
    }
}
