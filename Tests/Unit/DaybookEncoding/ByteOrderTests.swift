import DaybookEncoding
import Testing
import TestSupport

struct ByteOrderTests {
    @Test func `bytes compare as the standard library compares them`() {
        var generator = Seeded(8)
        for _ in 0..<5_000 {
            let left = random(&generator)
            let right = Bool.random(using: &generator) ? random(&generator) : left
            #expect(ByteOrder.precedes(left, right) == left.lexicographicallyPrecedes(right))
            #expect(ByteOrder.begins(left, with: right) == left.starts(with: right))
            let prefix = Bytes(left.prefix(Int.random(in: 0...20, using: &generator)))
            #expect(ByteOrder.begins(left, with: prefix))
        }
    }

    private func random(_ generator: inout Seeded) -> Bytes {
        // Mostly equal bytes, so that the difference often lies beyond the first eight.
        (0..<Int.random(in: 0...20, using: &generator)).map { _ in
            Int.random(in: 0..<10, using: &generator) == 0
                ? UInt8.random(in: 0...255, using: &generator) : 0x80
        }
    }
}
