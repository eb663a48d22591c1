package import DaybookEncoding

/// A wallet's holdings of an asset, in six parts that never overlap.
package struct BalanceRow: StateRow {
    package private(set) var parts: [UInt256]

    /// Where a coin stands: in a block or not, and whether it can be spent.
    package enum Part: Int, CaseIterable, Sendable {
        case confirmedFree, confirmedHeld, confirmedReserved
        case unconfirmedFree, unconfirmedHeld, unconfirmedReserved

        package var isConfirmed: Bool { rawValue < Part.unconfirmedFree.rawValue }
    }

    package init() {
        parts = Part.allCases.map { _ in .zero }
    }

    package subscript(part: Part) -> UInt256 {
        get { parts[part.rawValue] }
        set { parts[part.rawValue] = newValue }
    }

    /// Everything that blocks hold, reserved or not.
    package var confirmed: UInt256 {
        sum([.confirmedFree, .confirmedHeld, .confirmedReserved])
    }

    /// Everything that only the mempool holds.
    package var unconfirmed: UInt256 {
        sum([.unconfirmedFree, .unconfirmedHeld, .unconfirmedReserved])
    }

    /// What prepared and signed transactions hold back.
    package var reserved: UInt256 { sum([.confirmedReserved, .unconfirmedReserved]) }

    /// What can be spent now: free coins in blocks, and our own change.
    package var available: UInt256 { sum([.confirmedFree, .unconfirmedFree]) }

    /// What nobody can spend yet: block rewards too young, and unconfirmed payments of others.
    ///
    /// Confirmed and unconfirmed are together available, reserved and held.
    package var held: UInt256 { sum([.confirmedHeld, .unconfirmedHeld]) }

    private func sum(_ chosen: [Part]) -> UInt256 {
        // All coins of a chain are far below 2^256, so a sum of parts can't leave it.
        chosen.reduce(.zero) { $0.adding(self[$1]) ?? .max }
    }

    package var coded: CBOR {
        .record(["parts": .array(parts.map(\.coded))])
    }

    package init(_ fields: Fields) throws(FieldError) {
        guard let items = fields["parts"]?.arrayValue, items.count == Part.allCases.count
        else { throw FieldError(field: "row.parts", expected: "six amounts") }
        parts = []
        for item in items {
            guard let amount = UInt256(coded: item) else {
                throw FieldError(field: "row.parts", expected: "six amounts")
            }
            parts.append(amount)
        }
    }
}
