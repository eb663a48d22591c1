import DaybookChains
import DaybookEncoding

/// What a wallet needs to know of a block.
struct ICONBlockHeader: Equatable, Sendable {
    let height: UInt64
    let hash: Bytes
    /// When it was made, in microseconds since 1970.
    let time: UInt64

    /// The members of an answer that are read.
    static let names = ["height", "block_hash", "time_stamp"]

    /// A block from the answer to `icx_getLastBlock`, whose numbers are JSON's own and whose hash
    /// has no `0x`; nil when a part is not believable.
    init?(_ answer: JSON) {
        guard let height = answer["height"]?.intValue.flatMap(UInt64.init(exactly:)),
            let time = answer["time_stamp"]?.intValue.flatMap(UInt64.init(exactly:)),
            let text = answer["block_hash"]?.stringValue, text.utf8.count == 64,
            text.utf8.allSatisfy(ICONInteger.isDigit), let hash = Hex.decode(text)
        else { return nil }
        self.height = height
        self.time = time
        self.hash = hash
    }
}
