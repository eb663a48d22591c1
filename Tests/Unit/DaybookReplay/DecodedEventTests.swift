import DaybookDomain
import DaybookEncoding
import Testing

@testable import DaybookLog

/// Reads the data of events in the pass that checks it.
struct DecodedEventTests {
    @Test func `an event that is decoded in one pass is the one that two passes read`() throws {
        for bytes in TemporaryLog.golden {
            let (record, event) = try EventRecord.decodeEvent(bytes)
            #expect(try record == EventRecord.decode(bytes))
            #expect(try event == record.event())
            var read = 0
            _ = try EventRecord.decode(bytes) { record in
                var event: Event?
                read = record.readEvent(&event) ?? 0
                return nil
            }
            #expect(read == bytes.count)
        }
    }

    @Test func `one pass refuses the bytes that two passes refuse, for the same reason`() {
        for bytes in TemporaryLog.golden {
            // A prime, so that changes fall on all parts of the events.
            for index in stride(from: bytes.count % 7, to: bytes.count, by: 7) {
                for change: UInt8 in [0x01, 0x20, 0x80] {
                    var changed = bytes
                    changed[index] ^= change
                    expectTheSame(of: changed)
                }
                expectTheSame(of: Array(bytes.prefix(index)))
            }
            expectTheSame(of: bytes + [0])
        }
    }

    private func expectTheSame(of bytes: Bytes) {
        let whole = Result { try EventRecord.decode(bytes) }
        let once = Result {
            try EventRecord.decode(bytes) { record in
                var event: Event?
                return record.readEvent(&event)
            }
        }
        switch (whole, once) {
        case (.success(let left), .success(let right)): #expect(left == right)
        case (.failure(let left), .failure(let right)): #expect("\(left)" == "\(right)")
        default: Issue.record("decoded in one of two ways: \(Hex.encode(bytes))")
        }
    }
}
