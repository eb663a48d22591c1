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

    @Test func `a byte is found at its first place, from every place on`() {
        for count in 0..<50 {
            // The bytes next to the wanted one differ from it in one bit or in the sign.
            let bytes = (0..<count).map { UInt8([0x24, 0x27, 0xa5, 0x00][$0 % 4]) }
            for start in 0...count {
                #expect(ByteSearch.first(0x25, in: bytes.span, from: start) == nil)
                for place in 0..<count {
                    var bytes = bytes
                    bytes[place] = 0x25
                    if place % 3 == 0 { bytes[count - 1] = 0x25 }
                    let wanted = bytes[start...].firstIndex(of: 0x25)
                    #expect(ByteSearch.first(0x25, in: bytes.span, from: start) == wanted)
                    #expect(ByteSearch.first(0x25, in: bytes[start...]) == wanted)
                }
            }
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
