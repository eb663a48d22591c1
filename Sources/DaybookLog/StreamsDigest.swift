internal import DaybookCrypto
package import DaybookEncoding
internal import DaybookLMDB

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
        hasher.update(head.bytes)
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
        let cursor = try Cursor(content.view, content.tables.streams)
        var entry = try cursor.first()
        while let found = entry {
            guard let head = StreamHead(found.value) else {
                throw LogError.damaged(position: nil, reason: "the head of a stream is wrong")
            }
            digest.add(found.key, head)
            entry = try cursor.next()
        }
        return digest.finish()
    }

    /// The position of a stream's last event; nil where it has none.
    package func lastPosition(ofStream stream: String) throws -> UInt64? {
        guard let head = try content.head(of: stream) else { return nil }
        let cursor = try Cursor(content.view, content.tables.byStream)
        let (next, isLast) = head.first.addingReportingOverflow(1)
        guard let entry = try isLast ? cursor.last() : cursor.seekBefore(BigEndian.bytes(next)),
            entry.key.starts(with: BigEndian.bytes(head.first)),
            let position = BigEndian.exactly(entry.key.dropFirst(8))
        else {
            throw LogError.damaged(position: nil, reason: "a stream is missing in 'by_stream'")
        }
        return position
    }
}
