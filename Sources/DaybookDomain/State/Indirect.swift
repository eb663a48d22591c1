/// A part of a row that lies elsewhere in memory, so that copies of the row share it.
@propertyWrapper
package struct Indirect<Value: Equatable & Sendable>: Equatable, Sendable {
    private final class Storage: Sendable {
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private var storage: Storage?

    package init(wrappedValue: Value?) {
        storage = wrappedValue.map { Storage($0) }
    }

    package var wrappedValue: Value? {
        get { storage?.value }
        set { storage = newValue.map { Storage($0) } }
    }

    /// What `body` makes of the value, which is not copied for that.
    func read<Result>(_ body: (Value) -> Result) -> Result? {
        storage.map { body($0.value) }
    }

    package static func == (left: Indirect, right: Indirect) -> Bool {
        left.storage === right.storage || left.wrappedValue == right.wrappedValue
    }
}
