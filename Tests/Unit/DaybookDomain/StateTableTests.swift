import DaybookChains
import DaybookEncoding
import Synchronization
import Testing
import TestSupport

@testable import DaybookDomain

/// Tables of typed rows over the bytes that are stored.
struct StateTableTests {
    typealias Table = StateTable<Pair<UInt64, UInt64>, PointerRow<RequestID>>

    /// Where the rows of a table are.
    enum Place: CaseIterable, Sendable { case memory, base, wholeInMemory, wholeAboveBase }

    @Test(arguments: Place.allCases, [3000, 300])
    func `a table says the same as rows that are written at once`(
        place: Place, keys: UInt64
    ) throws {
        var generator = Seeded(7)
        var model = MemoryRows()
        let base = StateBase(own: MemoryRows())
        var table: Table
        switch place {
        case .memory, .base: table = Table("pairs")
        case .wholeInMemory, .wholeAboveBase: table = Table(whole: "pairs")
        }
        let hasBase = place == .base || place == .wholeAboveBase
        if hasBase { table.attach(to: base) }
        for step in 0..<20_000 {
            let number = UInt64.random(in: 0..<keys, using: &generator)
            let key = Pair(number % 3, number)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0..<3:
                let row = PointerRow(RequestID(UInt64(step)))
                table[key] = row
                model.set(Self.bytes(key), row.encoded())
            case 3:
                table[key] = nil
                model.remove(Self.bytes(key))
            case 4:
                let old = model.value(Self.bytes(key))
                #expect(table.update(key) { $0.target = 1 } == (old != nil))
                if old != nil {
                    model.set(Self.bytes(key), PointerRow<RequestID>(1).encoded())
                }
            default:
                #expect(table[key]?.encoded() == model.value(Self.bytes(key)))
            }
            if step % 500 == 0 { check(table, model, UInt64(step / 500 % 3), after: key) }
            if step % 1500 == 0, hasBase { Self.save(&table, base) }
            if step % 7000 == 0, place == .wholeAboveBase {
                Self.save(&table, base)
                table = Table(whole: "pairs")
                table.attach(to: base)
            }
        }
        let rows = model.scan(prefix: [], after: nil, limit: .max)
        #expect(table.rows().map(Self.encoded) == rows)
    }

    private func check(
        _ table: Table, _ model: MemoryRows, _ first: UInt64, after: Pair<UInt64, UInt64>
    ) {
        let prefix = Bytes("pairs/".utf8) + BigEndian.bytes(first)
        #expect(
            table.rows(.first(first)).map { Self.bytes($0.key) }
                == model.scan(prefix: prefix, after: nil, limit: .max).map(\.key))
        #expect(
            table.rows(.first(first), after: after, limit: 5).map { $0.row.encoded() }
                == model.scan(prefix: prefix, after: Self.bytes(after), limit: 5).map(\.value))
        #expect(
            table.rows(after: after, limit: 9).map(Self.encoded)
                == model.scan(prefix: [], after: Self.bytes(after), limit: 9))
        #expect(
            Self.backward(table, .first(first), before: nil, limit: .max)
                == model.scanBackward(prefix: prefix, before: nil, limit: .max))
        let before = Pair(first, after.second)
        #expect(
            Self.backward(table, .first(first), before: before, limit: 5)
                == model.scanBackward(prefix: prefix, before: Self.bytes(before), limit: 5))
        #expect(
            Self.backward(table, nil, before: after, limit: 300)
                == model.scanBackward(prefix: [], before: Self.bytes(after), limit: 300))
    }

    private static func backward(
        _ table: Table, _ prefix: KeyPrefix<Pair<UInt64, UInt64>>?,
        before: Pair<UInt64, UInt64>?, limit: Int
    ) -> [Row] {
        var rows: [Row] = []
        table.walkBackward(prefix, before: before) { key, row in
            rows.append(encoded(key, row))
            return rows.count < limit
        }
        return rows
    }

    private static func save(_ table: inout Table, _ base: StateBase) {
        for (key, value) in table.encodingChanges() {
            base.change { rows in
                if let value { rows.set(key, value) } else { rows.remove(key) }
            }
        }
        table.forgetChanges()
    }

    private static func encoded(_ key: Pair<UInt64, UInt64>, _ row: PointerRow<RequestID>) -> Row {
        Row(key: bytes(key), value: row.encoded())
    }

    private static func bytes(_ key: Pair<UInt64, UInt64>) -> Bytes {
        var bytes = Bytes("pairs/".utf8)
        key.append(to: &bytes)
        return bytes
    }

    @Test(arguments: [Table("pairs"), Table(whole: "pairs")], [10, 3000])
    func `rows that a base has got are no longer those that were read of it`(
        empty: Table, count: UInt64
    ) {
        let base = StateBase(MemoryRows())
        var table = empty
        table.attach(to: base)
        let keys = (0..<count).map { Pair($0, $0) }
        #expect(table.keys().isEmpty)
        for round in [RequestID(1), 2] {
            for key in keys { table[key] = PointerRow(round) }
            var rows = MemoryRows()
            for (key, value) in table.encodingChanges() { rows.set(key, value ?? []) }
            table.rebase(above: StateBase(rows)) { true }
            #expect(table.keys() == keys)
            // The first keys are read last, so that they are cached.
            #expect(keys.reversed().allSatisfy { table[$0]?.target == round })
        }
    }

    @Test(arguments: [Table("pairs"), Table(whole: "pairs")], [true, false])
    func `rows that seem absent from failed tables are not absent from the next ones`(
        empty: Table, isSound: Bool
    ) {
        let failed = MemoryRows()
        var rows = MemoryRows()
        let key = Pair<UInt64, UInt64>(1, 2)
        rows.set(Self.bytes(key), PointerRow(RequestID(7)).encoded())
        var table = empty
        table.attach(to: StateBase(failed))
        // Rows that have failed answer as if there were none.
        #expect(table[key] == nil)
        #expect(table.keys().isEmpty)
        table.rebase(above: StateBase(rows)) { isSound }
        #expect((table[key] != nil) != isSound)
        #expect((table.keys() == [key]) != isSound)
    }

    @Test func `work under way is read once, however much of it ends`() {
        let rows = CountedRows()
        for number in 0..<100 as Range<UInt64> {
            rows.rows.withLock {
                $0.set(Self.bytes(Pair(number, 1)), PointerRow<RequestID>(1).encoded())
            }
        }
        var table = Table(whole: "pairs")
        table.attach(to: StateBase(rows))
        let count = rows.reads.withLock { $0 }
        for number in 0..<99 as Range<UInt64> { table[Pair(number, 1)] = nil }
        #expect(table.rows(limit: 1).map(\.key) == [Pair(99, 1)])
        #expect(table[Pair(98, 1)] == nil)
        #expect(rows.reads.withLock { $0 } == count)
        #expect(table.encodingChanges().count == 99)
    }

    /// Rows that count how often they are read.
    private final class CountedRows: Rows {
        let rows = Mutex(MemoryRows())
        let reads = Mutex(0)

        func value(_ key: Bytes) -> Bytes? { read { $0.value(key) } }
        func set(_ key: Bytes, _ value: Bytes) {}
        func remove(_ key: Bytes) {}

        func scan(prefix: Bytes, after: Bytes?, limit: Int) -> [Row] {
            read { $0.scan(prefix: prefix, after: after, limit: limit) }
        }

        func scanBackward(prefix: Bytes, before: Bytes?, limit: Int) -> [Row] {
            read { $0.scanBackward(prefix: prefix, before: before, limit: limit) }
        }

        private func read<Value>(_ body: (MemoryRows) -> Value) -> Value {
            reads.withLock { $0 += 1 }
            return body(rows.withLock { $0 })
        }
    }

    @Test func `a table that was emptied is as one that never had a row`() {
        var state = State()
        for number in [RequestID(3), 7] {
            state.work[number] = PointerRow(number)
            var before: [RequestID] = []
            state.work.walkBackward { key, _ in
                before.append(key)
                return true
            }
            #expect(before == [number])
            state.work[number] = nil
            #expect(state.work.keys().isEmpty)
            #expect(state.work[number] == nil)
            #expect(state.changes.isEmpty)
            state.work.walkBackward { key, _ in
                Issue.record("\(key) was removed")
                return true
            }
            state.forgetChanges()
        }
    }

    @Test func `a change of a copy changes the copy alone`() {
        var first = State()
        first.work[1] = PointerRow(1)
        var second = first
        second.work[1] = PointerRow(2)
        first.work[2] = PointerRow(3)
        #expect(first.work[1]?.target == 1)
        #expect(second.work[1]?.target == 2)
        #expect(!second.work.contains(2))
    }

    @Test func `a state that is saved is the same above its rows`() {
        var state = State(in: MemoryRows())
        state.wallets[3] = WalletRow(
            wallet: WalletAdded(
                chain: .dash, network: .sandbox, networkID: nil, label: nil,
                keys: .single(publicKey: Given.publicKey(1))))
        state.callers[KeyText("shop")] = PointerRow(5)
        state.callers[KeyText("s\u{0}\u{1}")] = PointerRow(6)
        let before = state.rows.scan(prefix: [], after: nil, limit: .max)
        state.save()
        #expect(state.changeCount == 0)
        #expect(state.rows.scan(prefix: [], after: nil, limit: .max) == before)
        #expect(state.callers.keys().map(\.text) == ["s\u{0}\u{1}", "shop"])
        #expect(state.wallets[3]?.wallet.chain == .dash)
        #expect(state.damage == nil)
    }

    @Test func `keys are in the order of their bytes, and read as they were written`() throws {
        let texts = ["", "a", "a\u{0}", "a\u{0}b", "a\u{1}", "a\u{2}", "ab", "é", "e\u{301}"]
        try check(texts.map { KeyText($0) })
        try check(
            Chain.allCases.flatMap { chain in Network.allCases.map { ChainID(chain, $0) } })
        try check(texts.flatMap { text in [UInt64(0), 256, .max].map { Pair($0, KeyText(text)) } })
        let ids = [1, 2, 255].map { TransactionID(Bytes(repeating: $0, count: 31) + [0])! }
        try check(ids.flatMap { id in [UInt32(0), 1, .max].map { Outpoint(id, $0) } })
    }

    private func check<Key: TableKey>(_ keys: [Key]) throws {
        let spelled = keys.map { key in
            var bytes = Bytes()
            key.append(to: &bytes)
            return bytes
        }
        for (key, bytes) in zip(keys, spelled) {
            var reader = KeyReader(bytes[...])
            #expect(Key(&reader) == key)
            for (other, otherBytes) in zip(keys, spelled) {
                #expect((key < other) == ByteOrder.precedes(bytes, otherBytes))
                #expect((key == other) == (bytes == otherBytes))
            }
        }
    }

    @Test func `a key that is none of its table's is damage`() {
        var rows = MemoryRows()
        rows.set(Bytes("work/".utf8) + [1, 2], PointerRow<RequestID>(1).encoded())
        let state = State(rows)
        #expect(state.work.keys() == [])
        #expect(state.damage?.expected == "under a key of its table")
    }

    @Test func `a table gives its rows as of before their changes`() {
        var state = State()
        state.work[1] = PointerRow(1)
        state.work.trackReplaced()
        state.work[2] = PointerRow(2)
        state.work.update(1) { $0.target = 5 }
        state.work[1] = nil
        let replaced = state.work.takeReplaced()
        #expect(replaced.map(\.key) == [2, 1])
        #expect(replaced.map(\.row?.target) == [nil, 1])
        #expect(state.work.takeReplaced().isEmpty)
    }
}
