package import DaybookEncoding

/// Brings the data of events that an older program wrote to the newest version of their type.
///
/// Events of all versions are read for ever. When a type's data changes, its version goes up and
/// the table gets a function that turns data of the version before into data of the new one. Such
/// a function is frozen once released. It sees decoded records and no type of the domain, names
/// fields itself, and is total: it has an answer for all data that the older version allowed. The
/// event's bytes and hash stay as they are.
package struct Upcasters: Sendable {
    /// Turns data of one version into data of the next.
    package typealias Upcaster = @Sendable (_ data: CBOR) -> CBOR

    private let table: [String: [Upcaster]]

    /// Upcasters by type: the first one makes version 2, the next one version 3, and so on.
    package init(_ table: [String: [Upcaster]]) {
        self.table = table
    }

    /// Those of this program.
    package static let all = Upcasters([:])

    /// The version that a type's upcasters lead to.
    package func newest(of type: String) -> UInt64 { UInt64(table[type]?.count ?? 0) + 1 }

    /// Brings data of a version to the newest one; nil for a version that has no way there.
    package func newest(_ data: CBOR, of type: String, from version: UInt64) -> CBOR? {
        guard version > 0, version <= newest(of: type) else { return nil }
        return (table[type] ?? []).dropFirst(Int(version - 1)).reduce(data) { $1($0) }
    }
}
