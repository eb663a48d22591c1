import DaybookDomain
import DaybookEncoding

/// The addresses behind those that a wallet watches, asked about once payments come near them.
///
/// A wallet watches twenty unused addresses of each branch, and a payment to one of them makes more
/// of them. Each time that a branch goes on, twice as many are asked about, so that a wallet that
/// was used for long takes few steps. What is paid behind a gap is not the wallet's, as before.
struct AddressesAhead {
    /// All that were asked about ahead.
    private(set) var asked: [ChainQuery.Watched] = []
    /// Whether there are more addresses to ask about than one look does.
    private(set) var isCutShort = false

    private var branches: [Progress]
    private var left: Int

    private struct Progress {
        let branch: ChainQuery.Branch
        var indices: [String: UInt32]
        /// The first index that was not asked about.
        var end: UInt64
        var step = State.gapLimit
        var afterUsed: UInt64 = 0
    }

    /// The addresses behind branches, of which one look asks about so many at most.
    init(_ branches: [ChainQuery.Branch], most: Int) {
        left = most
        self.branches = branches.map {
            Progress(branch: $0, indices: $0.unused, end: UInt64($0.next))
        }
    }

    /// The addresses to ask about next, once these are known to be used.
    mutating func next(_ used: Set<String>) -> [ChainQuery.Watched] {
        let before = asked.count
        for number in branches.indices { branches[number] = advance(branches[number], used) }
        return Array(asked[before...])
    }

    private mutating func advance(_ before: Progress, _ used: Set<String>) -> Progress {
        var progress = before
        for address in used {
            guard let index = progress.indices[address] else { continue }
            progress.afterUsed = max(progress.afterUsed, UInt64(index) + 1)
        }
        let needed = progress.afterUsed + State.gapLimit
        guard progress.afterUsed > 0, needed > progress.end else { return progress }
        let wanted = max(needed, progress.end + progress.step)
        progress.step *= 2
        let end = min(wanted, progress.end + UInt64(left))
        if end < needed { isCutShort = true }
        for index in progress.end..<end {
            guard let index = UInt32(exactly: index) else { break }
            left -= 1
            guard let address = progress.branch.address(at: index) else { continue }
            progress.indices[address.address] = index
            asked.append(address)
        }
        progress.end = end
        return progress
    }
}
