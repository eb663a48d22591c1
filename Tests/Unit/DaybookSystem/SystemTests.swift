import Testing
import TestSupport

@testable import DaybookSystem

struct SystemTests {
    @Test func `a lock on a byte excludes a second holder until the first lets go`() throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/lock"
        do {
            let first = try FileLock(withoutWaiting: path, byte: 7)
            #expect(throws: SystemError(code: .wouldBlock, operation: "lock", path: path)) {
                _ = try FileLock(withoutWaiting: path, byte: 7)
            }
            _ = try FileLock(withoutWaiting: path, byte: 8)
            _ = consume first
        }
        _ = try FileLock(withoutWaiting: path, byte: 7)
    }

    @Test func `entropy has the length asked for and does not repeat`() throws {
        #expect(try Entropy.bytes(0) == [])
        #expect(try Entropy.bytes(1000).count == 1000)
        #expect(try Entropy.bytes(32) != Entropy.bytes(32))
    }

    @Test func `the clock tells microseconds of this century`() {
        let now = Clock.nowMicroseconds()
        #expect(now > 1_700_000_000_000_000 && now < 4_200_000_000_000_000)
        let first = Clock.monotonicMicroseconds()
        #expect(Clock.monotonicMicroseconds() >= first)
    }

    @Test func `a variable that is not set has no value`() {
        #expect(EnvironmentVariables.value("DAYBOOK_SURELY_NOT_SET") == nil)
        #expect(EnvironmentVariables.value("PATH") != nil)
    }

    @Test func `unknown error numbers survive and known ones have a text`() {
        #expect(Errno(rawValue: 4242).rawValue == 4242)
        #expect(Errno.noSpace.description == "no space left on device")
    }
}
