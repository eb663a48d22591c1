import DaybookCrypto
package import DaybookEncoding

/// A hash in the tree: 32 bytes of SHA-256, kept in place so that hashing allocates nothing.
package struct TreeHash: Sendable {
    /// The hash's length in bytes.
    package static let length = 32

    /// What the tree without leaves hashes to: SHA-256 of nothing.
    package static let ofEmptyTree: TreeHash = {
        guard let hash = TreeHash(SHA256.hash([])) else {
            preconditionFailure("a digest of SHA-256 is as long as a hash in the tree")
        }
        return hash
    }()

    private var storage = InlineArray<32, UInt8>(repeating: 0)

    /// A hash from its bytes; nil unless there are 32.
    package init?(_ bytes: Bytes) {
        guard bytes.count == Self.length else { return nil }
        self.init(bytes.span, at: 0)
    }

    /// The hash that begins at an offset; 32 bytes must follow there.
    init(_ bytes: Span<UInt8>, at offset: Int) {
        for index in 0..<Self.length { storage[index] = bytes[offset + index] }
    }

    /// The hash of a leaf: SHA-256(0x00 ‖ the event's bytes).
    ///
    /// It begins with another byte than that of a node (RFC 6962, section 2.1), so that no leaf can
    /// pass for one.
    init(leaf event: Span<UInt8>) {
        var digest = storage.mutableSpan
        SHA256.hash(0, event, Span(), into: &digest)
    }

    /// The hash of a node: SHA-256(0x01 ‖ left ‖ right).
    init(_ left: TreeHash, _ right: TreeHash) {
        var digest = storage.mutableSpan
        SHA256.hash(1, left.storage.span, right.storage.span, into: &digest)
    }

    /// The hash over neighbouring entries of a row; `count` is a power of two.
    init(over row: Bytes, from first: Int, count: Int) {
        if count == 1 {
            self.init(row.span, at: first * Self.length)
        } else {
            self.init(
                TreeHash(over: row, from: first, count: count / 2),
                TreeHash(over: row, from: first + count / 2, count: count / 2))
        }
    }

    /// The hash as bytes.
    package var bytes: Bytes {
        var bytes = Bytes()
        bytes.reserveCapacity(Self.length)
        append(to: &bytes)
        return bytes
    }

    /// Writes the hash's bytes behind others.
    func append(to bytes: inout Bytes) {
        // At once, because an append would spend a sixth of its time on byte after byte.
        unsafe storage.span.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }
}

extension TreeHash: Equatable {
    package static func == (left: TreeHash, right: TreeHash) -> Bool {
        ConstantTime.equal(left.storage.span, right.storage.span)
    }
}
