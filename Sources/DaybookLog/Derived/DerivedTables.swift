internal import DaybookEncoding
internal import DaybookLMDB

/// The tables in `derived/`.
struct DerivedTables: Sendable {
    /// A stream's name → its `StreamHead`.
    let streams: Table
    /// A session, request or stream → the positions of its events; see `PositionLists`.
    let positions: Table
    /// The hashes of the tree over the events; see `TreeRow`.
    let tree: Table
    /// The rows of the state.
    let state: Table
    private let meta: Table

    /// Opens the tables, or creates them; nil where there are none.
    init?(_ view: any StorageView, create: Bool = false) throws {
        guard let meta = try view.table("meta", create: create),
            let streams = try view.table("streams", create: create),
            let positions = try view.table("positions", create: create),
            let tree = try view.table("tree", create: create),
            let state = try view.table("state", create: create)
        else { return nil }
        self.meta = meta
        self.streams = streams
        self.positions = positions
        self.tree = tree
        self.state = state
    }

    private static let key = Bytes("mark".utf8)

    /// The encoded `DerivedMark` of the tables; nil where they are empty.
    ///
    /// - Throws: `DerivedError.unusable` where they can't be read.
    func mark(in view: any StorageView) throws -> Bytes? {
        do {
            return try view.value(meta, Self.key)
        } catch {
            throw DerivedError.unusable(LogFault(.unreadable, tree.name, "\(error)"))
        }
    }

    func put(_ mark: DerivedMark, in view: any StorageView) throws {
        try view.put(meta, Self.key, mark.bytes)
    }
}

/// The derived tables inside a transaction.
struct DerivedView {
    let storage: any Storage
    let tables: DerivedTables
    let view: any StorageView

    var mark: Bytes? { get throws { try tables.mark(in: view) } }

    /// The tables as the transaction found them.
    var base: DerivedBase {
        get throws { DerivedBase(storage, tables, commit: view.commit, mark: try mark) }
    }

    /// The tables as the commit of this write leaves them, with a new mark.
    func nextBase(_ mark: DerivedMark) -> DerivedBase {
        DerivedBase(storage, tables, commit: view.commit.map { $0 + 1 }, mark: mark.bytes)
    }
}

/// Says from which events derived tables were made, and by which rules.
struct DerivedMark: Equatable {
    let log: Bytes
    let rules: Bytes
    /// How many events they cover.
    let size: UInt64
    /// The leaf hash of the last of these events.
    let last: Bytes
}

extension DerivedMark {
    init?(_ bytes: Bytes) {
        guard let record = try? CBOR.decode(bytes),
            record["version"]?.uintValue == LogVersions.derived,
            let log = record["log"]?.bytesValue, let rules = record["rules"]?.bytesValue,
            let size = record["size"]?.uintValue, let last = record["last"]?.bytesValue
        else { return nil }
        self.init(log: log, rules: rules, size: size, last: last)
    }

    var bytes: Bytes {
        CBOR.record([
            "version": .unsigned(LogVersions.derived), "log": .bytes(log),
            "rules": .bytes(rules), "size": .unsigned(size), "last": .bytes(last),
        ]).encoded()
    }
}
