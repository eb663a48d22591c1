import DaybookEncoding
import DaybookLMDB

/// The disk of the simulated computer, on which only commits are durable.
final class Disk {
    let tables = MemoryTables()
    /// Called with each event's bytes as soon as it is durable.
    var hears: (Bytes) -> Void = { _ in }
    private var heard = 0

    /// Planted: says that a commit is durable before it is, so that a crash loses the last ones.
    var isLying = false
    private var durable: MemoryTables.Image?
    private var commits = 0

    func commit() {
        tables.commit()
        commits += 1
        if isLying, commits % 3 != 0 { return }
        sync()
    }

    /// Everything that was committed is durable now.
    func sync() {
        if isLying { durable = tables.image }
        let events = tables.rows("events")
        while heard < events.count {
            guard let bytes = events.value(Self.position(heard)) else { return }
            heard += 1
            hears(bytes)
        }
    }

    /// The power is gone.
    func crash() {
        tables.rollBack()
        if isLying, let durable { tables.image = durable }
    }

    private static func position(_ number: Int) -> Bytes {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }
}

/// A program on the simulated computer, which can die at each of its steps to the outside.
///
/// Only the one thread of the simulation touches it.
final class SimulatedProcess {
    let number: Int
    private nonisolated(unsafe) let disk: Disk
    nonisolated(unsafe) let fate = Fate()

    /// The fate of a program.
    final class Fate {
        fileprivate(set) var isDead = false
        /// How many steps there are until it dies; nil for never.
        var fuse: Int?
        /// How many commits there are until one finds the disk full; nil for never.
        var spaceFuse: Int?
        var diesAt: (String) -> Void = { _ in }
        var foundDiskFull: () -> Void = {}
    }

    var isDead: Bool { fate.isDead }

    init(_ number: Int, on disk: Disk) {
        self.number = number
        self.disk = disk
    }

    /// One step of the program to the outside.
    func step(_ name: String) throws {
        if isDead { throw Death() }
        guard let left = fate.fuse else { return }
        guard left == 0 else {
            fate.fuse = left - 1
            return
        }
        die()
        fate.diesAt(name)
        throw Death()
    }

    func die() {
        fate.isDead = true
        fate.fuse = nil
    }

    /// Thrown through a program that is dead: nothing that it does any more has an effect.
    struct Death: Error {}
}

extension SimulatedProcess: Storage {
    func snapshot<Value>(_ body: (any StorageView) throws -> Value) throws -> Value {
        if isDead { throw Death() }
        return try body(disk.tables)
    }

    func update<Value>(_ body: (any StorageView) throws -> Value) throws -> Value {
        try step("before writing")
        let value: Value
        do {
            value = try body(disk.tables)
            try step("before the commit")
            if let left = fate.spaceFuse {
                fate.spaceFuse = left == 0 ? nil : left - 1
                if left == 0 {
                    fate.foundDiskFull()
                    throw LMDBError(rawValue: 28)
                }
            }
        } catch {
            disk.tables.rollBack()
            throw error
        }
        disk.commit()
        try step("after the commit")
        return value
    }

    func copy(to folder: String) throws { throw LMDBError.notFound }

    var mapBytes: Int { .max }
}
