import DaybookCrypto
package import DaybookEncoding

/// A hash in the tree: 32 bytes of SHA-256, stored inline so that hashing allocates nothing.
package struct TreeHash: Sendable {
    /// The hash's length in bytes.
    package static let length = 32

    /// The root of the empty tree: SHA-256 of no bytes.
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
    /// The prefix differs from that of a node (RFC 6962, section 2.1), so that no leaf can pass for
    /// a node.
    init(leaf event: Span<UInt8>) {
        var digest = storage.mutableSpan
        SHA256.hash(0, event, Span(), into: &digest)
    }

    /// The hash of a node: SHA-256(0x01 ‖ left ‖ right).
    init(_ left: TreeHash, _ right: TreeHash) {
        var digest = storage.mutableSpan
        SHA256.hash(1, left.storage.span, right.storage.span, into: &digest)
    }

    /// The hash over consecutive entries of a row; `count` is a power of two.
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

    /// Appends the hash's bytes.
    func append(to bytes: inout Bytes) {
        // All at once: byte by byte would take a sixth of the time of an append.
        unsafe storage.span.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }
}

extension TreeHash: Equatable {
    package static func == (left: TreeHash, right: TreeHash) -> Bool {
        ConstantTime.equal(left.storage.span, right.storage.span)
    }
}

/// Computes the root of a tree from its leaves and subtrees, which are added from the left.
///
/// It holds at most 64 hashes. Subtrees stand for events that an export leaves out.
package struct TreeFold: Sendable {
    /// The subtrees that make up the leaves so far, the largest first.
    private var peaks: [(height: Int, hash: TreeHash)] = []
    /// How many leaves there are.
    package private(set) var size: UInt64 = 0

    /// The fold of no leaves.
    package init() {}

    /// The fold of so many leaves, from its `frontier`; nil for another number of hashes.
    package init?(size: UInt64, frontier: [TreeHash]) {
        let heights = (0..<UInt64.bitWidth).reversed().filter { size >> UInt64($0) & 1 == 1 }
        guard heights.count == frontier.count else { return nil }
        peaks = zip(heights, frontier).map { (height: $0, hash: $1) }
        self.size = size
    }

    /// The hashes of the largest subtrees, from the left: all that later leaves need.
    package var frontier: [TreeHash] { peaks.map(\.hash) }

    /// The heads of the smaller trees that the largest subtrees show, and at last the tree's own.
    package var beginnings: [TreeHead] {
        var (size, heads) = (UInt64(0), [TreeHead]())
        for (index, peak) in peaks.enumerated() {
            size += 1 << UInt64(peak.height)
            let fold = TreeFold(size: size, frontier: peaks[...index].map(\.hash))
            if let fold { heads.append(TreeHead(size: size, root: fold.root())) }
        }
        return heads
    }

    /// Adds the leaf of an event's bytes and returns its hash.
    @discardableResult
    package mutating func add(leaf event: Bytes) -> TreeHash {
        let hash = TreeHash(leaf: event.span)
        add(hash, height: 0)
        return hash
    }

    /// Adds a subtree over 2^height leaves, which must begin at a multiple of its size.
    package mutating func add(_ subtree: TreeHash, height: Int) {
        precondition(
            height < UInt64.bitWidth && size.trailingZeroBitCount >= height,
            "a subtree begins at a multiple of its size, as those of a cover do")
        var peak = (height: height, hash: subtree)
        size += 1 << UInt64(height)
        while let left = peaks.last, left.height == peak.height {
            peaks.removeLast()
            peak = (peak.height + 1, TreeHash(left.hash, peak.hash))
        }
        peaks.append(peak)
    }

    /// The root over all leaves so far.
    package func root() -> TreeHash {
        guard var root = peaks.last?.hash else { return .ofEmptyTree }
        for peak in peaks.dropLast().reversed() { root = TreeHash(peak.hash, root) }
        return root
    }

    /// The heights of the fewest whole subtrees that cover a range of leaves, from the left.
    package static func cover(_ range: Range<UInt64>) -> [Int] {
        var heights: [Int] = []
        var first = range.lowerBound
        while first < range.upperBound {
            let longest = 63 - (range.upperBound - first).leadingZeroBitCount
            let height = min(first.trailingZeroBitCount, longest)
            heights.append(height)
            first += 1 << UInt64(height)
        }
        return heights
    }
}
