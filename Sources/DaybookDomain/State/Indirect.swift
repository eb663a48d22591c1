/// A property stored in a shared box, so that copies of a row are cheap.
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

    /// Returns the result of `body` for the value, which is not copied.
    func read<Result>(_ body: (Value) -> Result) -> Result? {
        storage.map { body($0.value) }
    }

    package static func == (left: Indirect, right: Indirect) -> Bool {
        left.storage === right.storage || left.wrappedValue == right.wrappedValue
    }
}
