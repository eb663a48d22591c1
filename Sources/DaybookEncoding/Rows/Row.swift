/// One row of the state: a key and its value.
package struct Row: Hashable, Sendable {
    /// What the row is found by, and ordered by bytewise.
    package var key: Bytes
    /// What the row holds.
    package var value: Bytes

    /// A row of a key and its value.
    package init(key: Bytes, value: Bytes) {
        self.key = key
        self.value = value
    }
}
