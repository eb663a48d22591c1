import DaybookDomain
import DaybookEncoding

/// The `key=value` pairs of a wallet link or a payment URI, split first and then decoded once.
struct LinkParameters {
    private var pairs: [Pair] = []

    private struct Pair {
        /// Nil for a name that means nothing.
        let key: LinkKey?
        let isRequired: Bool
        let value: String
    }

    /// No pairs at all.
    init() {}

    /// Reads pairs joined by `&`; each has one `=`, an unescaped key, and a key that no other has.
    init(_ text: ArraySlice<UInt8>) throws(Refusal) {
        // The links that are documented have no more.
        pairs.reserveCapacity(4)
        var meaningless: [ArraySlice<UInt8>] = []
        var start = text.startIndex
        while start <= text.endIndex {
            let end = LinkText.first("&", text, from: start) ?? text.endIndex
            let (name, pair) = try Self.pair(text, start..<end)
            let isDuplicate = pair.key.map { self[$0] != nil } ?? meaningless.contains(text[name])
            guard !isDuplicate else {
                throw Refusal(.duplicateKey, parameter: pair.key?.rawValue)
            }
            if pair.key == nil { meaningless.append(text[name]) }
            pairs.append(pair)
            start = end + 1
        }
    }

    /// The value of a key, whether it came as required or not.
    subscript(key: LinkKey) -> String? {
        for index in pairs.indices where pairs[index].key == key { return pairs[index].value }
        return nil
    }

    /// Whether the key came with `req-`: who does not act on it must refuse the link.
    func isRequired(_ key: LinkKey) -> Bool {
        pairs.contains { $0.key == key && $0.isRequired }
    }

    /// Refuses a link that requires a key which its reader would not act on (BIP 21).
    func refuseRequired(except understood: [LinkKey]) throws(Refusal) {
        for pair in pairs where pair.isRequired {
            guard let key = pair.key, understood.contains(key) else {
                throw Refusal(.unknownRequiredKey, parameter: pair.key?.rawValue)
            }
        }
    }

    /// The pair in a part of a text, and where its name stands, without `req-`.
    private static func pair(
        _ text: ArraySlice<UInt8>, _ piece: Range<Int>
    ) throws(Refusal) -> (name: Range<Int>, pair: Pair) {
        let equals = LinkText.first("=", text, from: piece.lowerBound) ?? piece.upperBound
        let spelled = piece.lowerBound..<min(equals, piece.upperBound)
        guard !spelled.isEmpty, !LinkText.holds(UInt8(ascii: "%"), text[spelled]) else {
            throw Refusal(.malformedLink)
        }
        let isRequired = ByteOrder.begins(text[spelled], with: "req-")
        let name = isRequired ? spelled.dropFirst(4) : spelled
        let key = LinkKey(text[name])
        guard equals < piece.upperBound, !name.isEmpty else {
            throw Refusal(.malformedLink, parameter: key?.rawValue)
        }
        let raw = text[(equals + 1)..<piece.upperBound]
        guard !LinkText.holds(UInt8(ascii: "="), raw), let value = LinkText.decode(raw) else {
            throw Refusal(.malformedLink, parameter: key?.rawValue)
        }
        return (name, Pair(key: key, isRequired: isRequired, value: value))
    }
}
