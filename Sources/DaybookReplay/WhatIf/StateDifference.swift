package import DaybookDomain
package import DaybookEncoding

/// The differences between two states: counts of rows by projection, and balances in full.
package struct StateDifference: Equatable, Sendable {
    /// The number of rows of a projection that differ.
    package struct Projection: Equatable, Sendable {
        /// The projection's name, with which its rows' keys begin.
        package let name: String
        package fileprivate(set) var onlyLeft = 0
        package fileprivate(set) var onlyRight = 0
        package fileprivate(set) var different = 0
    }

    /// A part of a balance that differs.
    package struct Figure: Equatable, Sendable {
        package let wallet: WalletID
        package let asset: String
        /// How many decimals a whole coin has; nil if unknown.
        package let decimals: Int?
        /// `confirmed`, `unconfirmed`, `reserved` or `available`.
        package let field: String
        package let left: UInt256
        package let right: UInt256
    }

    package private(set) var projections: [Projection] = []
    package let balances: [Figure]

    package var isEmpty: Bool { projections.isEmpty }

    package init(_ left: State, _ right: State) {
        balances = Self.balances(left, right)
        var pairs = RowPairs(left.rows, right.rows)
        while let pair = pairs.next() {
            switch pair {
            case (let one?, nil): count(one.key, \.onlyLeft)
            case (nil, let other?): count(other.key, \.onlyRight)
            case (let one?, let other?) where one.value != other.value:
                count(one.key, \.different)
            default: break
            }
        }
    }

    private mutating func count(_ key: Bytes, _ kind: WritableKeyPath<Projection, Int>) {
        let name = String(decoding: key.prefix { $0 != UInt8(ascii: "/") }, as: UTF8.self)
        // Rows come in key order, so that those of a projection are consecutive.
        if projections.last.map({ Text.equal($0.name, name) }) != true {
            projections.append(Projection(name: name))
        }
        projections[projections.count - 1][keyPath: kind] += 1
    }

    /// The parts of balances that differ, by wallet and asset.
    static func balances(_ left: State, _ right: State) -> [Figure] {
        let lines = (left.balanceLines(), right.balanceLines())
        func same(_ one: BalanceLine, _ other: BalanceLine) -> Bool {
            one.wallet == other.wallet && Text.equal(one.asset, other.asset)
        }
        let more = lines.1.filter { line in !lines.0.contains { same($0, line) } }
        return (lines.0 + more).flatMap { line in
            let one = lines.0.first { same($0, line) }?.balance ?? BalanceRow()
            let other = lines.1.first { same($0, line) }?.balance ?? BalanceRow()
            let figures: [(String, UInt256, UInt256)] = [
                ("confirmed", one.confirmed, other.confirmed),
                ("unconfirmed", one.unconfirmed, other.unconfirmed),
                ("reserved", one.reserved, other.reserved),
                ("held", one.held, other.held),
                ("frozen", one.frozen, other.frozen),
                ("available", one.available, other.available),
            ]
            return figures.filter { $0.1 != $0.2 }.map { field, left, right in
                Figure(
                    wallet: line.wallet, asset: line.asset, decimals: line.decimals,
                    field: field, left: left, right: right)
            }
        }
    }
}
