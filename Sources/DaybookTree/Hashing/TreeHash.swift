import DaybookCrypto
package import DaybookEncoding

/// A hash in the tree: 32 bytes of SHA-256, kept in place so that hashing allocates nothing.
package struct TreeHash: Sendable {
    /// The hash's length in bytes.
    package static let length = 32

    /// What the tree without leaves hashes to: SHA-256 of nothing.
    package static let ofEmptyTree: TreeHash = {
        var hasher = SHA256Hasher()
        return TreeHash(finishing: &hasher)
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

    /// The digest of what a hasher was given.
    init(finishing hasher: inout SHA256Hasher) {
        var span = storage.mutableSpan
        hasher.finish(into: &span)
    }

    /// The hash as bytes.
    package var bytes: Bytes {
        var bytes = Bytes()
        bytes.reserveCapacity(Self.length)
        append(to: &bytes)
        return bytes
    }

    /// Gives the hash's bytes to a hasher.
    func update(_ hasher: inout SHA256Hasher) {
        hasher.update(storage.span)
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
