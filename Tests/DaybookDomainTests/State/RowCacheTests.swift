import DaybookEncoding
import Testing

@testable import DaybookDomain

/// Numbers that are the same in every run.
private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}

/// Rows that are known in their types, above the bytes that they stand for.
struct RowCacheTests {
    /// Many more than are known at once.
    private static let keys = 3000

    private static func key(_ number: Int) -> Bytes {
        [UInt8(number % 3)] + BigEndian.fourBytes(UInt32(number))
    }

    @Test func `a state says the same as rows that are written at once`() throws {
        var generator = Numbers(state: 7)
        var model = MemoryRows()
        var state = State(MemoryRows())
        for step in 0..<20_000 {
            let key = Self.key(.random(in: 0..<Self.keys, using: &generator))
            switch Int.random(in: 0..<8, using: &generator) {
            case 0..<3:
                let row = PointerRow(position: UInt64(step))
                state.put(key, row)
                model.set(key, row.coded.encoded())
            case 3:
                state.remove(key)
                model.remove(key)
            case 4:
                #expect(state.contains(key) == (model.value(key) != nil))
            default:
                let row: PointerRow? = state.get(key)
                #expect(row?.coded.encoded() == model.value(key))
            }
            if step % 500 == 0 {
                let prefix = [UInt8(step / 500 % 3)]
                #expect(
                    state.scan(prefix: prefix, limit: .max)
                        == model.scan(prefix: prefix, after: nil, limit: .max))
                #expect(
                    state.list(prefix, PointerRow.self).map { $0.row.coded.encoded() }
                        == model.scan(prefix: prefix, after: nil, limit: .max).map(\.value))
            }
        }
        #expect(
            state.rows.scan(prefix: [], after: nil, limit: .max)
                == model.scan(prefix: [], after: nil, limit: .max))
    }

    @Test func `what is changed in a copy is changed there alone`() {
        var first = State(MemoryRows())
        first.put([1], PointerRow(position: 1))
        var second = first
        second.put([1], PointerRow(position: 2))
        first.put([2], PointerRow(position: 3))
        #expect(first.get([1], PointerRow.self)?.position == 1)
        #expect(second.get([1], PointerRow.self)?.position == 2)
        #expect(!second.contains([2]))
        #expect(State(first.rows).get([2], PointerRow.self)?.position == 3)
    }

    @Test func `a row is what its bytes say in whatever type it is asked for`() {
        var state = State(MemoryRows())
        state.put([1], PointerRow(position: 1))
        #expect(state.get([1], UnlockRow.self) == nil)
        #expect(state.damage?.field == "row.failures")
        #expect(state.get([1], PointerRow.self)?.position == 1)
    }
}
