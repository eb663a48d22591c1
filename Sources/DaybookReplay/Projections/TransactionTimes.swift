package import DaybookChains
package import DaybookDomain
package import DaybookEncoding

/// When the blocks were made that have transactions, as the events say after the last one.
///
/// A movement is recorded before its block is known, so that a table needs the times in advance.
package struct TransactionTimes {
    private var blocks: [TransactionKey: (height: UInt64, time: UInt64?)] = [:]

    package init() {}

    /// Takes the next event.
    package mutating func take(_ event: Event) {
        guard case .chainObserved(let data) = event.payload else { return }
        for status in data.statuses {
            let key = TransactionKey(data.chain, data.network, status.txid)
            guard let height = status.height else {
                blocks[key] = nil
                continue
            }
            let time = data.time(ofBlock: height)
            // A block that is named again, as when an output is spent, comes without its time.
            if time != nil || blocks[key]?.height != height { blocks[key] = (height, time) }
        }
    }

    /// The time of the block that has a transaction; nil if no node told it.
    package subscript(chain: Chain, network: Network, txid: Bytes) -> UInt64? {
        blocks[TransactionKey(chain, network, txid)]?.time
    }
}
