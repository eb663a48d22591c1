/// One key of a table with its value, copied out of the map.
package struct Entry: Equatable, Sendable {
    /// What it is found by.
    package let key: [UInt8]
    /// What the table holds under the key.
    package let value: [UInt8]

    /// A key with its value.
    package init(key: [UInt8], value: [UInt8]) {
        self.key = key
        self.value = value
    }
}
