import DaybookEncoding

/// By what a chain is known again: what its node says, and a block behind the first.
///
/// Anyone may start a chain that has the name, the network id and the first block of a test
/// network: the block after it is another one.
struct ChainIdentity {
    private let name: String
    private var block: String?

    /// The identity by what the node says of its network.
    init(_ name: String) {
        self.name = name
    }

    /// Notes the hash of block 1, as displayed; nil where the node has none or not any more.
    mutating func note(_ hash: Bytes?) { block = hash.map { "block 1 \(Hex.encode($0))" } }

    /// What is recorded; throws if the chain that was known before has another block 1.
    func text(goingOnFrom known: String?) throws(ChainFailure) -> String {
        let prefix = name + ", "
        let before = known.flatMap { known in
            known.utf8.starts(with: prefix.utf8) ? String(known.dropFirst(prefix.count)) : nil
        }
        guard let block else { return before.map { prefix + $0 } ?? name }
        if let before, !Text.equal(before, block) {
            throw ChainFailure(
                .wrongChain,
                "the node's chain is another one of the same name: its \(NodeText.quoted(block))"
                    + " is not the \(NodeText.quoted(before)) that was recorded")
        }
        return prefix + block
    }
}
