import DaybookEncoding
import Testing

@testable import DaybookLog

/// Proofs that are not exactly right prove nothing.
struct TreeProofTests {
    private static let most: UInt64 = 33
    private let heads: [TreeHead]
    private let reader: TreeReader<MemoryRows>

    init() throws {
        let reader = try tree(of: Self.most)
        heads = try (0...Self.most).map { try reader.head(at: $0) }
        self.reader = reader
    }

    @Test func `an inclusion proof with any hash or number changed is refused`() throws {
        for head in heads.dropFirst() {
            for index in 0..<head.size {
                let proof = try reader.inclusionProof(of: index, at: head.size)
                #expect(proof.proves(event(index), in: head))
                for hashes in changes(of: proof.hashes) {
                    let changed = InclusionProof(index: index, hashes: hashes)
                    #expect(!changed.proves(event(index), in: head))
                }
                for other in 0...Self.most where other != index {
                    let changed = InclusionProof(index: other, hashes: proof.hashes)
                    #expect(!changed.proves(event(index), in: head))
                    #expect(!proof.proves(event(other), in: head))
                }
                for other in heads where other != head {
                    #expect(!proof.proves(event(index), in: other))
                }
                let wrong = TreeHead(size: head.size, root: flipped(head.root, at: 31))
                #expect(!proof.proves(event(index), in: wrong))
            }
        }
    }

    @Test func `a consistency proof with any hash or number changed is refused`() throws {
        for new in heads {
            for old in heads where old.size <= new.size {
                let proof = try reader.consistencyProof(from: old.size, to: new.size)
                #expect(proof.proves(old, beginsAs: new))
                for hashes in changes(of: proof.hashes) {
                    #expect(!ConsistencyProof(hashes: hashes).proves(old, beginsAs: new))
                }
                // Only from the empty tree, and to itself, does the empty proof lead further.
                if proof.hashes.isEmpty, old.size != 0, old != new { Issue.record("\(old)") }
                for other in heads where other != new && old.size != 0 {
                    #expect(!proof.proves(old, beginsAs: other) || other == old)
                }
                for other in heads where other != old && other != new && other.size != 0 {
                    #expect(!proof.proves(other, beginsAs: new))
                }
                if old != new { #expect(!proof.proves(new, beginsAs: old)) }
                let oldRoot = TreeHead(size: old.size, root: flipped(old.root, at: 0))
                #expect(!proof.proves(oldRoot, beginsAs: new))
                let newRoot = TreeHead(size: new.size, root: flipped(new.root, at: 0))
                #expect(!proof.proves(old, beginsAs: newRoot) || old.size == 0 && new.size != 0)
            }
        }
    }

    @Test func `a tree that parted from another is not consistent with it`() throws {
        var fork = try TreeAppender(MemoryRows(), size: 0)
        for position in 0..<Self.most { fork.append(event(position == 13 ? 99 : position)) }
        fork.save()
        let other = TreeReader(fork.rows, size: Self.most)
        for old in 1...Self.most {
            for new in old...Self.most {
                let proof = try other.consistencyProof(from: old, to: new)
                let agrees = proof.proves(heads[Int(old)], beginsAs: try other.head(at: new))
                #expect(agrees == (old <= 13))
            }
        }
    }

    @Test func `the tree without leaves has no inclusion proofs and begins every other`() throws {
        let empty = heads[0]
        #expect(empty.root == .ofEmptyTree)
        #expect(!InclusionProof(index: 0, hashes: []).proves(event(0), in: empty))
        let none = ConsistencyProof(hashes: [])
        #expect(none.proves(empty, beginsAs: empty))
        #expect(none.proves(empty, beginsAs: heads[7]))
        #expect(!none.proves(heads[7], beginsAs: empty))
        #expect(!none.proves(TreeHead(size: 0, root: heads[1].root), beginsAs: heads[7]))
        #expect(!ConsistencyProof(hashes: [heads[1].root]).proves(empty, beginsAs: heads[7]))
        #expect(!ConsistencyProof(hashes: [heads[1].root]).proves(empty, beginsAs: empty))
    }

    @Test func `numbers at the end of their range are refused without an overflow`() {
        let root = heads[1].root
        let hashes = Array(repeating: root, count: 64)
        let half: UInt64 = 1 << 63
        for size in [UInt64.max, UInt64.max - 1, half, half + 1] {
            let head = TreeHead(size: size, root: root)
            for index in [0, size - 1, size, UInt64.max] {
                #expect(!InclusionProof(index: index, hashes: hashes).proves([], in: head))
            }
            for old in [1, half, size - 1, size] where old <= size {
                let old = TreeHead(size: old, root: heads[2].root)
                #expect(!ConsistencyProof(hashes: hashes).proves(old, beginsAs: head))
                #expect(!ConsistencyProof(hashes: hashes).proves(head, beginsAs: old))
            }
        }
    }

    @Test func `a node does not pass for a leaf`() throws {
        // The two leaves' hashes as an event would have to hash to their parent.
        let forged = leafHash(0).bytes + leafHash(1).bytes
        let head = heads[2]
        #expect(!InclusionProof(index: 0, hashes: []).proves(forged, in: head))
        let asOne = TreeHead(size: 1, root: head.root)
        #expect(!InclusionProof(index: 0, hashes: []).proves([1] + forged, in: asOne))
    }

    /// Every list of hashes that is one step away: a bit flipped, one less, one more, two swapped.
    private func changes(of hashes: [TreeHash]) -> [[TreeHash]] {
        var changes: [[TreeHash]] = []
        for index in hashes.indices {
            var changed = hashes
            changed[index] = flipped(hashes[index], at: (index * 7) % 32)
            changes.append(changed)
            changed = hashes
            changed.remove(at: index)
            changes.append(changed)
            if index > 0 {
                changed = hashes
                changed.swapAt(index, index - 1)
                changes.append(changed)
            }
        }
        for index in 0...hashes.count {
            for extra in [heads[1].root] + hashes.prefix(1) + hashes.suffix(1) {
                var changed = hashes
                changed.insert(extra, at: index)
                changes.append(changed)
            }
        }
        return changes
    }

    private func flipped(_ hash: TreeHash, at index: Int) -> TreeHash {
        var bytes = hash.bytes
        bytes[index] ^= 1 << UInt8(index % 8)
        return TreeHash(bytes) ?? hash
    }
}
