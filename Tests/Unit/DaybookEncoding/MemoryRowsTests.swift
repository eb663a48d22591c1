import DaybookEncoding
import Testing
import TestSupport

struct MemoryRowsTests {
    @Test func `random writes and reads agree with a sorted list`() {
        for seed in UInt64(0)..<4 {
            var generator = Seeded(seed)
            var rows = MemoryRows()
            var model: [Row] = []
            for step in 0..<3_000 {
                let key = randomKey(&generator)
                // The first half mostly writes, the second mostly removes.
                if Int.random(in: 0..<4, using: &generator) > (step < 1_500 ? 0 : 2) {
                    let value: Bytes = [UInt8(truncatingIfNeeded: step)]
                    rows.set(key, value)
                    set(key, value, in: &model)
                } else {
                    rows.remove(key)
                    model.removeAll { $0.key == key }
                }
                if step % 50 == 0 { compare(rows, model, &generator) }
            }
            compare(rows, model, &generator)
        }
    }

    @Test func `many rows in rising, falling and mixed order are all found`() {
        let count = 5_000
        let rising = (0..<count).map(key)
        var generator = Seeded(5)
        for order in [rising, rising.reversed(), rising.shuffled(using: &generator)] {
            var rows = MemoryRows()
            for key in order { rows.set(key, key) }
            #expect(rows.count == count)
            #expect(rows.scan(prefix: [], after: nil, limit: .max).map(\.key) == rising)
            #expect(
                rows.scanBackward(prefix: [], before: nil, limit: .max).map(\.key)
                    == rising.reversed())
            for key in order { #expect(rows.value(key) == key) }
            for key in order { rows.remove(key) }
            #expect(rows.count == 0)
            #expect(rows.scan(prefix: [], after: nil, limit: 1) == [])
        }
    }

    @Test func `a copy does not see later writes`() {
        var rows = MemoryRows()
        for index in 0..<1_000 { rows.set(key(index), [0]) }
        let copy = rows
        rows.set(key(500), [1])
        rows.remove(key(501))
        rows.set(key(1_000), [1])
        #expect(copy.value(key(500)) == [0])
        #expect(copy.value(key(501)) == [0])
        #expect(copy.count == 1_000)
        #expect(rows.value(key(500)) == [1])
        #expect(rows.value(key(501)) == nil)
        #expect(rows.count == 1_000)
    }

    @Test func `scans stay within their prefix, start after their key and stop at their limit`() {
        var rows = MemoryRows()
        for text in ["a", "a/1", "a/2", "a/3", "b", "b/1"] { rows.set(Bytes(text.utf8), []) }
        func forward(_ prefix: String, _ after: String?, _ limit: Int = 9) -> [String] {
            rows.scan(prefix: Bytes(prefix.utf8), after: after.map { Bytes($0.utf8) }, limit: limit)
                .map { String(decoding: $0.key, as: UTF8.self) }
        }
        func backward(_ prefix: String, _ before: String?, _ limit: Int = 9) -> [String] {
            rows.scanBackward(
                prefix: Bytes(prefix.utf8), before: before.map { Bytes($0.utf8) }, limit: limit
            ).map { String(decoding: $0.key, as: UTF8.self) }
        }
        #expect(forward("a/", nil) == ["a/1", "a/2", "a/3"])
        #expect(forward("a/", "a/1") == ["a/2", "a/3"])
        #expect(forward("a/", "a/1x") == ["a/2", "a/3"])
        #expect(forward("a/", "Z", 1) == ["a/1"])
        #expect(forward("a/", "b") == [])
        #expect(forward("c", nil) == [])
        #expect(forward("", nil, 0) == [])
        #expect(backward("a/", nil) == ["a/3", "a/2", "a/1"])
        #expect(backward("a/", "a/3") == ["a/2", "a/1"])
        #expect(backward("a/", "a/2x") == ["a/2", "a/1"])
        #expect(backward("a/", "b", 1) == ["a/3"])
        #expect(backward("a/", "a") == [])
        #expect(backward("", nil, 2) == ["b/1", "b"])
    }

    @Test func `a prefix of highest bytes ends where the rows end`() {
        var rows = MemoryRows()
        for key: Bytes in [[], [0xfe], [0xff], [0xff, 0], [0xff, 0xff], [0xff, 0xff, 1]] {
            rows.set(key, key)
        }
        let prefix: Bytes = [0xff, 0xff]
        #expect(
            rows.scan(prefix: prefix, after: nil, limit: 9).map(\.key) == [prefix, prefix + [1]])
        #expect(
            rows.scanBackward(prefix: prefix, before: nil, limit: 9).map(\.key)
                == [prefix + [1], prefix])
        #expect(rows.scanBackward(prefix: [0xfe], before: nil, limit: 9).map(\.key) == [[0xfe]])
        #expect(rows.value([]) == [])
    }

    private func key(_ index: Int) -> Bytes {
        Bytes("outputs/wallet/\(1_000_000 + index)".utf8)
    }

    /// Short keys of few letters, so that prefixes and collisions are common.
    private func randomKey(_ generator: inout Seeded) -> Bytes {
        let count = Int.random(in: 0...11, using: &generator)
        return (0..<count).map { _ in [0x00, 0x61, 0xff].randomElement(using: &generator)! }
    }

    private func set(_ key: Bytes, _ value: Bytes, in model: inout [Row]) {
        model.removeAll { $0.key == key }
        let place = model.firstIndex { key.lexicographicallyPrecedes($0.key) } ?? model.count
        model.insert(Row(key: key, value: value), at: place)
    }

    private func compare(_ rows: MemoryRows, _ model: [Row], _ generator: inout Seeded) {
        #expect(rows.count == model.count)
        #expect(rows.scan(prefix: [], after: nil, limit: .max) == model)
        for _ in 0..<5 {
            let prefix = Bytes(randomKey(&generator).prefix(2))
            let border = Bool.random(using: &generator) ? randomKey(&generator) : nil
            let limit = Int.random(in: 0...40, using: &generator)
            let within = model.filter { $0.key.starts(with: prefix) }
            let after = within.filter { row in
                border.map { $0.lexicographicallyPrecedes(row.key) } ?? true
            }
            let before = within.filter { row in
                border.map { row.key.lexicographicallyPrecedes($0) } ?? true
            }
            #expect(
                rows.scan(prefix: prefix, after: border, limit: limit)
                    == Array(after.prefix(limit)))
            #expect(
                rows.scanBackward(prefix: prefix, before: border, limit: limit)
                    == Array(before.reversed().prefix(limit)))
            if let border {
                #expect(rows.value(border) == model.first { $0.key == border }?.value)
            }
        }
    }
}
