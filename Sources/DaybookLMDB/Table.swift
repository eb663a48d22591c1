internal import CLMDB

/// A named, ordered table of a storage; keys compare bytewise.
package struct Table: Sendable {
    /// The number that its storage knows it by.
    package let number: UInt32
    /// The name under which it is stored.
    package let name: String

    /// A table of a storage that numbers and names it so.
    package init(number: UInt32, name: String) {
        self.number = number
        self.name = name
    }

    var handle: MDB_dbi { number }
}
