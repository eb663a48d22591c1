import DaybookLog

/// The heads that somebody else vouches for, held against a tree while it grows.
struct VouchedHeads {
    /// Those of which the tree has not had as many events yet, the smallest first.
    private(set) var ahead: ArraySlice<TreeHead>
    /// Those that can't be compared: the tree went past them by more than one event.
    private(set) var skipped: [TreeHead] = []
    /// The largest size at which the tree was as somebody vouches.
    private var agreed: UInt64?

    init(_ heads: [TreeHead]) {
        ahead = heads.sorted { $0.size < $1.size }[...]
    }

    /// Whether the tree has come to one of the heads, or beyond it.
    func isDue(at size: UInt64) -> Bool {
        ahead.first.map { $0.size <= size } ?? false
    }

    /// Compares what the tree has come to; returns what is wrong, and at which event.
    mutating func compare(with head: TreeHead) -> (position: UInt64, message: String)? {
        var isOther = false
        while let vouched = ahead.first, vouched.size <= head.size {
            ahead.removeFirst()
            if vouched.size < head.size {
                skipped.append(vouched)
            } else if vouched == head {
                agreed = head.size
            } else {
                isOther = true
            }
        }
        if !isOther { return nil }
        let message = "the events up to here are not those that the checkpoint vouches for"
        let last = head.size == 0 ? 0 : head.size - 1
        return (last, agreed.map { "\(message); the first \($0) are" } ?? message)
    }
}
