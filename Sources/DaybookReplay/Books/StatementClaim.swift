package import DaybookDomain
package import DaybookEncoding
package import DaybookLog

/// A statement as somebody hands it over: its figures are claims until a log bears them out.
package struct StatementClaim: Sendable {
    package let log: Bytes
    package let head: TreeHead
    private let period: Range<UInt64>
    private let wallet: WalletID?
    private let json: JSON
    /// The page that has the JSON in it; nil if the JSON came alone.
    private let page: String?

    /// The longest file that is read.
    package static let mostBytes = 256 << 20

    /// Reads a statement's JSON, or its page; nil of anything else.
    ///
    /// Throws for a statement of a program that this one does not know.
    package init?(_ file: Bytes) throws(FormatNumberError) {
        guard let text = Text.utf8String(file) else { return nil }
        page = StatementText.data(inPage: text) == nil ? nil : text
        let data = StatementText.data(inPage: text) ?? text
        guard let json = try? JSON.parse(Bytes(data.utf8)) else { return nil }
        if json["root"] != nil, json["movements"] != nil {
            // Development versions wrote none.
            try FormatNumber.statement.check(
                json["version"]?.numberLiteral.flatMap { UInt64($0) } ?? 0)
        }
        guard let from = json["from"]?.stringValue.flatMap(Timestamp.parse),
            let to = json["to"]?.stringValue.flatMap(Timestamp.parse), from < to,
            let log = json["log"]?.stringValue.flatMap({ Hex.decode($0) }),
            let size = json["events"]?.numberLiteral.flatMap({ UInt64($0) }),
            let root = json["root"]?.stringValue.flatMap({ Hex.decode($0) }).flatMap(TreeHash.init)
        else { return nil }
        self.json = json
        self.log = log
        period = from..<to
        wallet = json["wallet"]?.numberLiteral.flatMap { UInt64($0) }.map { WalletID($0) }
        head = TreeHead(size: size, root: root)
    }

    /// The differences from the log whose first events these are; none if all figures are right.
    package func differences(from state: State, _ found: TreeHead) -> [String] {
        if found.root.bytes != head.root.bytes {
            return [
                "the root of the log's first \(found.size) events is "
                    + "\(Hex.encode(found.root.bytes)), and the statement's is "
                    + "\(Hex.encode(head.root.bytes)): it is of another log"
            ]
        }
        var statement = BookStatement(period, of: state, log: log, found, wallet: wallet)
        // The auditor's own keys say which positions are covered, not the statement.
        statement.coverage = json["coverage"]
        var differences: [String] = []
        Self.compare(json, with: statement.json, at: "", &differences)
        if differences.isEmpty, let page, !Text.equal(page, StatementText(statement).html) {
            differences.append(
                "the page shows something else than the figures in its JSON, which are right")
        }
        return differences
    }

    private static func compare(
        _ claimed: JSON?, with found: JSON?, at place: String,
        _ differences: inout [String]
    ) {
        if claimed == found || differences.count == mostDifferences { return }
        switch (claimed, found) {
        case (.object(let one), .object(let other)):
            let added = one.map(\.name).filter { name in !other.contains { $0.name == name } }
            for name in other.map(\.name) + added {
                let path = place.isEmpty ? name : "\(place).\(name)"
                compare(claimed?[name], with: found?[name], at: path, &differences)
            }
        case (.array(let one), .array(let other)):
            for index in 0..<max(one.count, other.count) {
                compare(
                    index < one.count ? one[index] : nil,
                    with: index < other.count ? other[index] : nil, at: "\(place)[\(index)]",
                    &differences)
            }
        default:
            differences.append(
                "\(place) is \(shown(claimed)) in the statement, and \(shown(found)) by the log")
        }
    }

    private static let mostDifferences = 20

    private static func shown(_ value: JSON?) -> String {
        value.map { Text.escaped(String($0.text().prefix(64))) } ?? "missing"
    }
}
