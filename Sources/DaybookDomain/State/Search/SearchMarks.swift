/// The content of a request or an entry of a history, as hashes of 17 bits for a search.
///
/// Equal contents have equal marks. Different ones can have the same, so a mark only says where to
/// look. A text has a mark for each three of its bytes, with ASCII letters in lower case.
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

    /// Adds the mark of a whole content.
    package mutating func add(_ fact: Fact, _ content: Span<UInt8>) {
        // FNV-1a, which needs no table.
        var hash = 0xcbf2_9ce4_8422_2325 ^ fact.rawValue
        for index in content.indices { hash = (hash ^ UInt64(content[index])) &* 0x100_0000_01b3 }
        add(hash)
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
