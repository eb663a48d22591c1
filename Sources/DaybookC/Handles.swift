import DaybookCommands
import DaybookSystem

/// The open stores by their handles.
///
/// A handle is a number that is never used twice, so that a closed one is never taken for another.
/// It looks like a pointer that no process has, so that following it ends the program at once.
final class Handles: Sendable {
    static let shared = Handles()

    private struct Table {
        var last: UInt = 0
        var stores: [UInt: OpenStore] = [:]
    }

    private static let mark: UInt = 0x0db0 << 48
    private let table = Monitor(Table())

    /// Makes a handle of a store.
    func add(_ store: OpenStore) -> OpaquePointer? {
        let number = table.change { table in
            table.last += 1
            table.stores[table.last] = store
            return table.last
        }
        return unsafe OpaquePointer(bitPattern: Self.mark | number)
    }

    /// The store of a handle.
    func store(_ handle: OpaquePointer?) throws(CommandFailure) -> OpenStore {
        let number = try unsafe Self.number(handle)
        guard let store = table.change({ $0.stores[number] }) else { throw Self.notOpen }
        return store
    }

    /// Takes a store out; its handle is invalid from then on.
    func remove(_ handle: OpaquePointer?) throws(CommandFailure) -> OpenStore {
        let number = try unsafe Self.number(handle)
        guard let store = table.change({ $0.stores.removeValue(forKey: number) }) else {
            throw Self.notOpen
        }
        return store
    }

    /// Whether a handle is open for the store in this folder.
    func isOpen(_ home: String) -> Bool {
        table.change { $0.stores.values.contains { $0.home == home } }
    }

    private static func number(_ handle: OpaquePointer?) throws(CommandFailure) -> UInt {
        guard let handle = unsafe handle else { throw .usage("the store is NULL") }
        let number = UInt(bitPattern: handle)
        guard number & mark == mark else { throw notOpen }
        return number & ~mark
    }

    private static let notOpen = CommandFailure(
        "storeClosed", .usage, "the store is closed, or never was open")
}
