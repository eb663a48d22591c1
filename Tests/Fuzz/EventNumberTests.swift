import DaybookEncoding
import TestSupport
import Testing

/// The short form of `tools/dev fuzz event-numbers`: numbers of a recorded session, by seeds.
struct EventNumberTests {
    @Test(arguments: 0..<8)
    func `no number of an event ends a reader of the log`(part: Int) async throws {
        let session = try FuzzedLog.shared.get()
        for index in stride(from: part, to: session.records.count, by: 8) {
            // The places and numbers of neighbours differ, so that all are met.
            let bytes = [index >> 8, index & 0xff, index, index * 5]
            try await Harness.eventNumbers.run(bytes.map { UInt8(truncatingIfNeeded: $0) })
        }
    }

    @Test func `a number that is replaced changes the log, and the audit says so`() async throws {
        let session = try FuzzedLog.shared.get()
        let changed = session.records.indices.count { index in
            let record = session.records[index]
            return session.replaced(record, 0, by: 12) != record
        }
        #expect(changed > session.records.count / 2)
    }
}
