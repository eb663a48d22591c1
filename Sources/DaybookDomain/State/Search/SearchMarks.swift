/// The content of a request or an entry of a history, as hashes of 17 bits for a search.
///
/// Equal contents have equal marks. Different ones can have the same, so marks only say where to
/// look. A text has a mark for each three of its bytes, with ASCII letters in lower case; a content
/// that is looked for as a whole has two.
package struct SearchMarks: Sendable {
    package private(set) var values: [UInt32] = []

    package init() {}

    /// A content that is looked for as a whole.
    package enum Fact: UInt64 {
        case sender = 1, address, amount, transaction
        /// Of an entry: the block of requests that the request is in which made the transaction.
        case requests
    }

    /// There are 2^17 marks: some hundred of them in a row leave most absent, and take a byte each.
    static let bits = 17

    /// Adds the marks of a text's parts.
    package mutating func add(text: Span<UInt8>) {
        guard text.count >= Self.part else { return }
        values.reserveCapacity(values.count + text.count)
        var part = UInt64(Self.lowered(text[0])) << 8 | UInt64(Self.lowered(text[1]))
        for index in 2..<text.count {
            part = (part << 8 | UInt64(Self.lowered(text[index]))) & 0xff_ffff
            add(part)
        }
    }

    /// Adds the marks of a whole content.
    ///
    /// One row in two hundred has a given mark by chance, which are twenty blocks of requests in a
    /// million events. Hardly one has both.
    package mutating func add(_ fact: Fact, _ content: Span<UInt8>) {
        let hash = Self.hash(fact, content)
        add(hash)
        add(hash >> 32 ^ hash << 32)
    }

    /// Adds a single mark, for a fact of which a search may look for thousands at once.
    mutating func addOne(_ fact: Fact, _ number: UInt64) {
        add(Self.hash(fact, String(number).utf8.span))
    }

    /// FNV-1a, which needs no table.
    private static func hash(_ fact: Fact, _ content: Span<UInt8>) -> UInt64 {
        var hash = 0xcbf2_9ce4_8422_2325 ^ fact.rawValue
        for index in content.indices { hash = (hash ^ UInt64(content[index])) &* 0x100_0000_01b3 }
        return hash
    }

    package mutating func add(_ fact: Fact, _ text: String) { add(fact, text.utf8.span) }

    /// How many bytes a part of a text has: a shorter text has no marks.
    package static let part = 3

    private mutating func add(_ hash: UInt64) {
        let mixed = hash &* 0x9e37_79b9_7f4a_7c15
        values.append(UInt32(truncatingIfNeeded: mixed >> (64 - UInt64(Self.bits))))
    }

    /// A byte, an ASCII letter in lower case.
    package static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

/// A set of marks, as a bit for each that there is.
struct MarkSet: Sendable {
    private var words = [UInt64](repeating: 0, count: 1 << (SearchMarks.bits - 6))

    func contains(_ mark: UInt32) -> Bool { words[Int(mark >> 6)] >> UInt64(mark & 63) & 1 != 0 }

    mutating func insert(_ mark: UInt32) { words[Int(mark >> 6)] |= 1 << UInt64(mark & 63) }

    /// Calls `body` with each mark, in order.
    func each(_ body: (UInt32) -> Void) {
        for (index, word) in words.enumerated() where word != 0 {
            var rest = word
            while rest != 0 {
                body(UInt32(index << 6 | rest.trailingZeroBitCount))
                rest &= rest - 1
            }
        }
    }
}
