internal import CLMDB

/// A named, ordered table of an environment; keys compare bytewise.
package struct Table: Sendable {
    let handle: MDB_dbi
    /// The name under which LMDB stores it.
    package let name: String
}
