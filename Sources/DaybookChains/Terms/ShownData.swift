import DaybookEncoding

/// The `data` of an ICON transaction as lines, with every text on its own line.
///
/// Names in the data are the caller's text as values are, so they are on the right side of a line:
/// `param 2: calls[1].memo = thanks`. In names all characters but letters, digits, `_`, `-` and `$`
/// are escaped, so that a name can't imitate another one or the syntax of a line. List entries are
/// counted from 1. Methods, addresses and amounts come first, wherever they are in the data.
struct ShownData {
    /// A value in the data, with its path.
    struct Leaf {
        let path: String
        let key: String
        let value: JSON
        /// The unit, if the value is an amount of the called contract's token.
        var unit: TokenUnit?

        /// The path and the value, as one text; nil if the value can't be shown.
        var text: String? {
            switch value {
            case .string(let text):
                let escaped = Text.escaped(text)
                return ShownLimits.hold(escaped) ? "\(path) = \(escaped)" : nil
            case .number(let literal):
                // A whole number and its digits as a text have the same serialization.
                guard let number = Int64(literal), String(number) == literal else { return nil }
                return "\(path) = \(literal)"
            case .null: return "\(path) is null"
            case .object: return "\(path) is an empty object"
            case .array: return "\(path) is an empty list"
            case .bool: return nil
            }
        }

        /// The amount in minor units, and in tokens if their decimals are known.
        var amount: String? {
            guard ShownData.amounts.holds(key),
                let amount = value.stringValue.flatMap(ICONInteger.parse)
            else { return nil }
            guard let unit else { return amount.decimal }
            let whole = DecimalAmount.format(amount, decimals: unit.decimals)
            return "\(whole) \(Text.escaped(unit.asset)), minor \(amount.decimal)"
        }

        /// Whether the value is a method, a recipient or an amount.
        var isImportant: Bool {
            ShownData.rank(key) < ShownData.otherRank
                || value.stringValue.flatMap { ICONAddress($0) } != nil
        }
    }

    /// All values of the data; methods, addresses and amounts come first.
    let leaves: [Leaf]

    /// The values of an object or a list; nil if they can't be shown in full.
    ///
    /// Nil also if the signed text could be read in more than one way. `unit` applies to amounts at
    /// the top level of the data, not in inner objects.
    init?(_ data: JSON, unit: TokenUnit? = nil) {
        switch data {
        case .object, .array: break
        default: return nil
        }
        var walk = Walk(unit: unit)
        guard walk.collect(data, path: "", key: "") else { return nil }
        leaves = walk.found.filter(\.isImportant) + walk.found.filter { !$0.isImportant }
    }

    /// A line for each value, and after an amount a second line with it in decimal.
    ///
    /// Nil if a line is too long.
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

    /// An order of members that does not depend on the caller's.
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

    /// The names that contracts commonly give to a kind of parameter.
    fileprivate struct KnownNames {
        let names: [String]

        init(_ names: [String]) { self.names = names }

        func holds(_ name: String) -> Bool { names.contains { Text.equal($0, name) } }
    }

    /// A name with every unusual character escaped.
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

/// Collects the values of the data, and stops at the limits.
private struct Walk {
    private(set) var found: [ShownData.Leaf] = []
    let unit: TokenUnit?

    init(unit: TokenUnit?) { self.unit = unit }

    /// Collects a value; false if it can't be shown. `isTop` marks a member of the data itself.
    mutating func collect(
        _ value: JSON, path: String, key: String, isTop: Bool = false
    ) -> Bool {
        // Many long paths would take much memory before they are refused.
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
            // The serialization is the same with and without leading empty texts.
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
