import DaybookEncoding
package import DaybookLog

/// Counts the checkpoints of a log, and those that trusted keys have signed.
package struct CheckpointTally {
    private let keys: [NoteVerifierKey]
    /// The text of the last note, and whether a trusted key has signed it.
    private var last: (text: Bytes, isSigned: Bool)?
    /// How many notes there were.
    package private(set) var count: UInt64 = 0
    /// How many of them a trusted key has signed.
    package private(set) var signed: UInt64 = 0
    /// The size of the last checkpoint that a trusted key has signed.
    package private(set) var signedSize: UInt64 = 0

    /// A tally for trusted keys; without any, no checkpoint counts as signed.
    package init(_ keys: [NoteVerifierKey]) {
        self.keys = keys
    }

    /// Takes the note of a checkpoint; returns the fault of its signature.
    ///
    /// An export has a checkpoint twice, as an item and in its event, and either may have further
    /// signatures: it counts once.
    mutating func take(_ note: Bytes, size: UInt64) -> NoteError? {
        let text = (try? SignedNote(note).text) ?? note
        if last?.text != text {
            last = (text, false)
            count += 1
        }
        if keys.isEmpty || last?.isSigned == true { return nil }
        do throws(NoteError) {
            _ = try SignedNote(note).verified(by: keys)
            last?.isSigned = true
            signed += 1
            signedSize = size
            return nil
        } catch .noKnownSignature {
            return nil
        } catch {
            return error
        }
    }

    /// The gaps that the signatures leave, given the number of events after the last signed one.
    func gaps(eventsAfterSigned: UInt64) -> [Verification.Gap] {
        if count == 0 { return [] }
        if keys.isEmpty {
            return [.init(.checkpointSignatures, "no key of the log was given")]
        }
        var gaps: [Verification.Gap] = []
        if signed < count {
            let others = "\(count - signed) of \(count) are signed by other keys"
            gaps.append(.init(.checkpointSignatures, others))
        }
        if signed > 0, eventsAfterSigned > 0 {
            let rest = "\(eventsAfterSigned) events come after the last checkpoint that is signed"
            gaps.append(.init(.eventsAfterCheckpoint, rest))
        }
        return gaps
    }
}

/// Compares the heads of trusted checkpoints with a tree while it grows.
struct VouchedHeads {
    /// The heads that the tree has not reached yet, the smallest first.
    private(set) var ahead: ArraySlice<VouchedHead>
    /// The heads that can't be compared, because the tree grew past them by a whole subtree.
    private(set) var skipped: [TreeHead] = []
    /// The largest size at which the tree had a vouched head.
    private var agreed: UInt64?

    init(_ heads: [VouchedHead]) {
        ahead = heads.sorted { $0.head.size < $1.head.size }[...]
    }

    /// Whether the tree has reached the next head.
    func isDue(at size: UInt64) -> Bool {
        ahead.first.map { $0.head.size <= size } ?? false
    }

    /// Compares the tree's head with the vouched ones: those that it is, and the fault.
    mutating func compare(
        with head: TreeHead
    ) -> (agreed: [VouchedHead], fault: (position: UInt64, message: String)?) {
        var same: [VouchedHead] = []
        var other: VouchedHead?
        while let vouched = ahead.first, vouched.head.size <= head.size {
            ahead.removeFirst()
            if vouched.head.size < head.size {
                skipped.append(vouched.head)
            } else if vouched.head == head {
                agreed = head.size
                same.append(vouched)
            } else {
                other = vouched
            }
        }
        guard let other else { return (same, nil) }
        let message = "the events up to here are not those that \(other.who)"
        let last = head.size == 0 ? 0 : head.size - 1
        return (same, (last, agreed.map { "\(message); the first \($0) are" } ?? message))
    }
}

extension VouchedHead {
    /// The end of a sentence about events: who vouches for them.
    var who: String {
        guard let claim = claims.first else { return "the checkpoint vouches for" }
        return "\(Text.escaped(claim.by.name)) witnessed on \(Timestamp.readable(claim.time))"
    }

    /// The fault if the log ends before this head.
    var missing: String {
        guard let claim = claims.first else {
            return "the checkpoint vouches for \(head.size) events, and here the log ends"
        }
        return "\(Text.escaped(claim.by.name)) witnessed \(head.size) events on "
            + "\(Timestamp.readable(claim.time)), and here the log ends"
    }
}
