import DaybookCrypto
import DaybookEncoding
import DaybookSystem
import Foundation
import Synchronization
import TestSupport

@testable import Daybook

/// A store of which nothing comes from chance: log id and clock are the test's.
///
/// It lies in memory where the system has such a folder: a thousand requests are tens of
/// thousands of commits, and what a disk takes for them is not what is tested.
final class SeededFolder: Sendable {
    let path: String
    let now = Mutex<UInt64>(1_800_000_000_000_000)

    init(logID: Bytes) throws {
        let memory = "/dev/shm/"
        let parent =
            FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
        path = parent + "daybook-" + UUID().uuidString
        try StoreFolder.create(path, logID: logID)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func open() throws -> Store {
        var options = StoreOptions()
        options.scrypt = .cheap
        options.clock = { [self] in now.withLock { $0 += 1000; return $0 } }
        return try Store(opening: path, frontEnd: "tests", options: options)
    }

    func turnClock(seconds: Int64) {
        now.withLock { $0 = UInt64(Int64($0) + seconds * 1_000_000) }
    }
}
