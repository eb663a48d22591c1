import DaybookEncoding

/// The conditions on the content of requests, or of entries of a history, in a list.
package struct SearchQuery: Equatable, Sendable {
    /// The scheme of the caller.
    package let sender: String?
    /// The address that is paid, or that was paid to.
    package let address: String?
    /// A decimal amount of whole coins, of any asset.
    package let amount: String?
    /// A text anywhere in it; ASCII letters are equal in both cases.
    package let text: String?
    /// The times between which it was recorded, in microseconds; `end` is not one of them.
    package let start: UInt64?
    package let end: UInt64?
    /// The text as it would be in what is looked through.
    let sought: Bytes
    /// The digits of the amount, without the zeros at both ends.
    private let amountDigits: Bytes

    package init(
        sender: String? = nil, address: String? = nil, amount: String? = nil, text: String? = nil,
        from start: UInt64? = nil, to end: UInt64? = nil
    ) {
        (self.sender, self.address, self.amount, self.text) = (sender, address, amount, text)
        (self.start, self.end) = (start, end)
        sought = text.map { SearchedText.readable(Bytes($0.utf8)) } ?? []
        amountDigits = amount.map { Self.digits(of: $0) } ?? []
    }

    private static func digits(of amount: String) -> Bytes {
        let zero = UInt8(ascii: "0")
        var digits = Bytes(amount.utf8.filter { $0 != UInt8(ascii: ".") }.drop { $0 == zero })
        while digits.last == zero { digits.removeLast() }
        return digits
    }

    /// Whether an amount in minor units has the digits of the one that is looked for.
    ///
    /// It is that amount if the asset has as many decimals, which takes longer to find out.
    func hasDigits(of minor: UInt256) -> Bool { amountDigits == Self.digits(of: minor.decimal) }

    /// Whether it asks for nothing.
    package var isEmpty: Bool { self == SearchQuery() }

    /// The conditions on the content, each as a query of its own.
    package var parts: [SearchQuery] {
        [
            sender.map { SearchQuery(sender: $0) }, address.map { SearchQuery(address: $0) },
            amount.map { SearchQuery(amount: $0) }, text.map { SearchQuery(text: $0) },
        ].compactMap(\.self)
    }

    /// Whether a time is in the period.
    func includes(_ time: UInt64) -> Bool {
        time >= start ?? 0 && end.map { time < $0 } ?? true
    }

    /// Whether a link's readable text, or a sentence about a request, contains the text that is
    /// looked for.
    func isIn(_ bytes: Span<UInt8>) -> Bool { Self.contains(bytes, sought.span) }

    /// Whether a label, in which nothing is encoded, contains the text that is looked for.
    func isIn(label: String) -> Bool {
        text.map { Self.contains(label.utf8.span, $0.utf8.span) } ?? false
    }

    private static func contains(_ bytes: Span<UInt8>, _ wanted: Span<UInt8>) -> Bool {
        guard wanted.count <= bytes.count else { return false }
        for start in 0...(bytes.count - wanted.count) {
            var index = 0
            while index < wanted.count,
                SearchMarks.lowered(bytes[start + index]) == SearchMarks.lowered(wanted[index])
            {
                index += 1
            }
            if index == wanted.count { return true }
        }
        return false
    }

    /// Whether a transaction's id begins with the text, of which at least eight digits are needed.
    func begins(_ txid: Bytes?) -> Bool {
        guard let txid, let text, let start = Self.transaction(text) else { return false }
        return Hex.encode(txid).hasPrefix(start)
    }

    /// The digits of a text that can be the beginning of a transaction's id; nil for any other.
    static func transaction(_ text: String) -> String? {
        let digits = text.lowercased()
        let plain = digits.hasPrefix("0x") ? String(digits.dropFirst(2)) : digits
        guard (markedDigits...64).contains(plain.utf8.count),
            plain.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) })
        else { return nil }
        return plain
    }

    /// How many digits of a transaction's id have a mark.
    static let markedDigits = 8
}

/// One condition of a search in marks, which a row may fulfil in one of several ways.
struct SearchClause: Sendable {
    /// Marks of which a row needs one.
    private var single = MarkSet()
    /// Lists of marks, of one of which a row needs all, by the first mark of each: labels can name
    /// a hundred thousand contents.
    private var lists: [UInt32: [[UInt32]]] = [:]
    /// Blocks of requests that fulfil it, whatever marks they have.
    private var blocks: Set<UInt64> = []
    /// Whether marks can't tell: every row may fulfil it.
    private(set) var isOpen = false
    /// All marks that it names.
    fileprivate private(set) var named = MarkSet()

    /// Adds a content that fulfils it.
    mutating func add(_ content: SearchMarks) {
        // More marks of a long text rule out hardly any more rows.
        let needed = content.values.prefix(Self.mostMarks)
        if needed.isEmpty { isOpen = true }
        if let first = needed.first, needed.count > 1 {
            lists[first, default: []].append(Array(needed))
        }
        for mark in needed {
            named.insert(mark)
            if needed.count == 1 { single.insert(mark) }
        }
    }

    /// Adds contents of which each fulfils it.
    mutating func add(anyOf contents: SearchMarks) {
        for mark in contents.values {
            named.insert(mark)
            single.insert(mark)
        }
    }

    /// Adds a block of requests that fulfils it.
    mutating func add(block: UInt64) { blocks.insert(block) }

    private static let mostMarks = 48

    /// Whether a row with these marks may fulfil it; `block` is its number among requests.
    fileprivate func mayHold(_ found: FoundMarks, _ block: UInt64?) -> Bool {
        if let block, blocks.contains(block) { return true }
        if isOpen || found.values.contains(where: { single.contains($0) }) { return true }
        if lists.isEmpty { return false }
        return found.values.contains { mark in
            lists[mark]?.contains { list in list.allSatisfy(found.contains) } ?? false
        }
    }
}

/// The marks of a row that a search names, in order.
private struct FoundMarks {
    let values: [UInt32]

    init(_ marks: [UInt32]) { values = marks.sorted() }

    func contains(_ mark: UInt32) -> Bool {
        var (low, high) = (0, values.count)
        while low < high {
            let middle = (low + high) / 2
            if values[middle] < mark { low = middle + 1 } else { high = middle }
        }
        return low < values.count && values[low] == mark
    }
}

/// Conditions that all have to be fulfilled, prepared for many rows.
struct SearchFilter: Sendable {
    private let clauses: [SearchClause]
    /// All marks that a clause names.
    private var named = MarkSet()

    init(_ clauses: [SearchClause]) {
        self.clauses = clauses
        for clause in clauses { clause.named.each { named.insert($0) } }
    }

    /// For each clause, whether a row may fulfil it; all, if the row can't be read.
    ///
    /// `block` is the row's number, if it is one of requests.
    func mayHold(_ row: SearchRow, _ block: UInt64? = nil) -> [Bool] {
        if clauses.isEmpty { return [] }
        var found: [UInt32] = []
        let isReadable = row.each { if named.contains($0) { found.append($0) } }
        let marks = FoundMarks(found)
        return clauses.map { !isReadable || $0.mayHold(marks, block) }
    }
}
