internal import CLMDB

/// A named, ordered table of an environment; keys compare bytewise.
package struct Table: Sendable {
    let handle: MDB_dbi
    /// The name under which LMDB stores it.
    package let name: String
}

/// One key of a table with its value, copied out of the map.
package struct Entry: Equatable, Sendable {
    package let key: [UInt8]
    package let value: [UInt8]
}
