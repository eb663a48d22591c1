/// One key of a table with its value, copied out of the map.
package struct Entry: Equatable, Sendable {
    /// What it is found by.
    package let key: [UInt8]
    /// What the table holds under the key.
    package let value: [UInt8]
}
