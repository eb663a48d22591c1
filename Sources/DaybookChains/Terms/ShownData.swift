import DaybookEncoding

/// The `data` of an ICON transaction as lines: every text in it on a line of its own.
///
/// A name in the data is the caller's text just as a value is, so that it stands on the right
/// side: `param 2: calls[1].memo = thanks`. In names only letters, digits, `_`, `-` and `$` stand
/// for themselves, so that no name can pass for another, or for more than a name. Entries of lists
/// are counted from 1. Methods, addresses and amounts come first, wherever they stand in the data.
struct ShownData {
    /// A text at its place in the data.
    struct Leaf {
        let path: String
        let key: String
        let value: JSON
        /// How an amount of it is called, where it is one of the called contract's token.
        var unit: TokenUnit?

        /// The path and what stands there, as one text.
        var text: String? {
            switch value {
            case .string(let text):
                let escaped = Text.escaped(text)
                return ShownLimits.hold(escaped) ? "\(path) = \(escaped)" : nil
            case .number(let literal):
                // What is signed is the same for a whole number and its digits as a text.
                guard let number = Int64(literal), String(number) == literal else { return nil }
                return "\(path) = \(literal)"
            case .null: return "\(path) is null"
            case .object: return "\(path) is an empty object"
            case .array: return "\(path) is an empty list"
            case .bool: return nil
            }
        }

        /// The amount that it is, in whole tokens where their decimals are known, and in units.
        var amount: String? {
            guard ShownData.amounts.holds(key),
                let amount = value.stringValue.flatMap(ICONInteger.parse)
            else { return nil }
            guard let unit else { return amount.decimal }
            let whole = DecimalAmount.format(amount, decimals: unit.decimals)
            return "\(whole) \(Text.escaped(unit.asset)), minor \(amount.decimal)"
        }

        /// Whether it says what is called, who gets something, or how much.
        var isImportant: Bool {
            ShownData.rank(key) < ShownData.otherRank
                || value.stringValue.flatMap { ICONAddress($0) } != nil
        }
    }

    /// Every text of the data: methods, addresses and amounts in front.
    let leaves: [Leaf]

    /// The parts of an object or a list; nil where they can't be shown whole, or where what is
    /// signed would have more than one reading.
    ///
    /// `unit` is that of amounts that stand in the data itself, not in an inner object.
    init?(_ data: JSON, unit: TokenUnit? = nil) {
        switch data {
        case .object, .array: break
        default: return nil
        }
        var walk = Walk(unit: unit)
        guard walk.collect(data, path: "", key: "") else { return nil }
        leaves = walk.found.filter(\.isImportant) + walk.found.filter { !$0.isImportant }
    }

    /// A line for each text, and behind an amount one that says it as people write it.
    ///
    /// Nil where one is too long.
    func lines(_ name: String) -> [ShownLine]? {
        var lines: [ShownLine] = []
        for (index, leaf) in leaves.enumerated() {
            guard let text = leaf.text else { return nil }
            lines.append(ShownLine("\(name) \(index + 1)", text))
            if let amount = leaf.amount {
                lines.append(ShownLine("amount of \(name) \(index + 1)", amount))
            }
        }
        return lines
    }

    // MARK: - Names

    /// Members in an order that says the same whatever order the caller chose.
    fileprivate static func comesFirst(_ left: JSON.Member, _ right: JSON.Member) -> Bool {
        let (first, second) = (rank(left.name), rank(right.name))
        return first == second ? Text.precedes(left.name, right.name) : first < second
    }

    fileprivate static func rank(_ key: String) -> Int {
        if Text.equal(key, "method") { return 0 }
        if recipients.holds(key) { return 1 }
        return amounts.holds(key) ? 2 : otherRank
    }

    fileprivate static let otherRank = 3

    fileprivate static let recipients = KnownNames([
        "_to", "to", "_recipient", "recipient", "_receiver", "receiver", "_dest", "dest",
    ])
    fileprivate static let amounts = KnownNames(["_value", "value", "_amount", "amount"])

    /// Names that contracts give to what everybody asks about.
    fileprivate struct KnownNames {
        let names: [String]

        init(_ names: [String]) { self.names = names }

        func holds(_ name: String) -> Bool { names.contains { Text.equal($0, name) } }
    }

    /// A name with all spelled out that isn't part of an ordinary one.
    static func shown(name: String) -> String {
        guard !name.isEmpty else { return "\\e" }
        return name.unicodeScalars.reduce(into: "") { shown, scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "_", "-", "$":
                shown.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16, uppercase: true)
                let zeros = String(repeating: "0", count: max(0, 4 - digits.utf8.count))
                shown += #"\u{\#(zeros)\#(digits)}"#
            }
        }
    }
}

/// Goes through the data once, and gives up where it is more than can be shown.
private struct Walk {
    private(set) var found: [ShownData.Leaf] = []
    let unit: TokenUnit?

    init(unit: TokenUnit?) { self.unit = unit }

    /// `isTop` says of a text that it stands in the data itself, not in an inner object.
    mutating func collect(
        _ value: JSON, path: String, key: String, isTop: Bool = false
    ) -> Bool {
        // Long paths of many texts would take much memory before they are refused.
        guard found.count <= ShownLimits.lines, path.utf8.count <= ShownLimits.textBytes else {
            return false
        }
        switch value {
        case .object(let members) where !members.isEmpty:
            for member in members.sorted(by: ShownData.comesFirst) {
                let name = ShownData.shown(name: member.name)
                let inner = path.isEmpty ? name : "\(path).\(name)"
                guard
                    collect(
                        member.value, path: inner, key: member.name, isTop: path.isEmpty)
                else { return false }
            }
        case .array(let values) where !values.isEmpty:
            // The network signs the same text whether or not empty texts stand in front.
            if let first = values[0].stringValue, first.isEmpty { return false }
            for (index, item) in values.enumerated() {
                guard collect(item, path: "\(path)[\(index + 1)]", key: "") else { return false }
            }
        default:
            found.append(
                ShownData.Leaf(
                    path: path.isEmpty ? "the data" : path, key: key, value: value,
                    unit: isTop ? unit : nil))
        }
        return true
    }
}
