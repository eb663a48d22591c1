/// This computer's clock against an ICON node's, in microseconds since 1970.
enum ICONClock {
    /// Nodes refuse transactions whose time is further from their own than this.
    static let tolerance: UInt64 = 5 * 60 * 1_000_000
    /// Differences below this are not worth a word.
    static let noticeable: UInt64 = 10 * 1_000_000

    /// Throws when a block was made so far ahead of our time that one of the clocks is wrong.
    ///
    /// A block of long ago says nothing of clocks: some networks make none while nothing happens.
    static func check(_ block: ICONBlockHeader, at now: UInt64) throws(ChainFailure) {
        guard block.time > now, block.time - now > tolerance else { return }
        throw ChainFailure(.clock, behind(block, at: now))
    }

    /// What is worth knowing of a block's time that `check` takes.
    static func note(_ block: ICONBlockHeader, at now: UInt64) -> String? {
        if block.time > now {
            return block.time - now > noticeable ? behind(block, at: now) : nil
        }
        guard now - block.time > tolerance else { return nil }
        return "the last block is \(words(now - block.time)) old: the node has stopped or is"
            + " catching up, or its network makes no blocks while nothing happens"
    }

    private static func behind(_ block: ICONBlockHeader, at now: UInt64) -> String {
        "this computer's clock is \(words(block.time - now)) behind the node's last block"
    }

    /// A time span to its largest unit.
    private static func words(_ microseconds: UInt64) -> String {
        let seconds = microseconds / 1_000_000
        let (count, unit) =
            switch seconds {
            case ..<120: (seconds, "second")
            case ..<7200: (seconds / 60, "minute")
            case ..<172_800: (seconds / 3600, "hour")
            default: (seconds / 86_400, "day")
            }
        return "\(count) \(unit)" + (count == 1 ? "" : "s")
    }
}
