import DaybookEncoding
import Testing
import TestSupport

@testable import DaybookReplay

/// Rows with changes on top answer as rows that were changed themselves.
struct OverlayRowsTests {
    @Test(arguments: 1...20) func `changes on top look like changes below`(seed: Int) {
        var random = Seeded(UInt64(seed))
        var model = MemoryRows()
        for _ in 0..<random.below(400) { model.set(random.key(), [random.byte()]) }
        var overlay = OverlayRows(model)
        for _ in 0..<random.below(400) {
            let key = random.key()
            if random.below(3) == 0 {
                model.remove(key)
                overlay.remove(key)
            } else {
                let value = [random.byte()]
                model.set(key, value)
                overlay.set(key, value)
            }
        }
        var walked: [Row] = []
        overlay.walk { walked.append(Row(key: $0, value: $1)) }
        #expect(walked == model.scan(prefix: [], after: nil, limit: .max))
        for _ in 0..<200 {
            let key = random.key()
            #expect(overlay.value(key) == model.value(key))
            let prefix = Bytes(random.key().prefix(random.below(3)))
            let limit = random.below(3) == 0 ? Int.max : random.below(10)
            let edge = random.below(2) == 0 ? nil : key
            #expect(
                overlay.scan(prefix: prefix, after: edge, limit: limit)
                    == model.scan(prefix: prefix, after: edge, limit: limit))
            #expect(
                overlay.scanBackward(prefix: prefix, before: edge, limit: limit)
                    == model.scanBackward(prefix: prefix, before: edge, limit: limit))
        }
    }
}

extension Seeded {
    fileprivate mutating func byte() -> UInt8 { UInt8(below(256)) }

    fileprivate mutating func key() -> Bytes {
        [UInt8(below(4)), UInt8(below(16)), UInt8(below(16))]
    }
}
