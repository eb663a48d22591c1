import DaybookEncoding

/// Something that takes bytes from strangers, and the laws that hold whatever they are.
struct Harness: Sendable {
    let name: String
    /// Longer inputs would only be slower.
    let longest: Int
    /// Words of the format, which a fuzzer would otherwise have to guess.
    let words: [String]
    /// Throws when a law is broken; a trap and a read out of bounds speak for themselves.
    let run: @Sendable (Bytes) async throws -> Void

    init(
        _ name: String, longest: Int, words: [String] = [],
        run: @escaping @Sendable (Bytes) async throws -> Void
    ) {
        self.name = name
        self.longest = longest
        self.words = words
        self.run = run
    }

    static let all: [Harness] = [
        .links, .cbor, .json, .codecs, .numbers, .addresses, .records, .history, .exports, .notes,
        .keystores, .watchedKeys, .transactions, .psbt, .iconTransactions, .coreNode, .iconNode,
        .nodeSettings, .pages, .arguments, .methods, .eventNumbers, .timeStamps,
    ]
}

/// A law that does not hold.
struct BrokenLaw: Error, CustomStringConvertible {
    let description: String
}

/// Says that something holds for every input.
func law(_ sentence: @autoclosure () -> String, _ holds: Bool) throws(BrokenLaw) {
    if !holds { throw BrokenLaw(description: sentence()) }
}
