import DaybookSystem
import Foundation
import Testing

/// The changes that a watch of a file notices, with and without the kernel's help.
struct FileWatchTests {
    @Test func `a write to the file is noticed`() throws {
        let folder = try Files.createTemporaryDirectory()
        defer { try? Files.removeTree(folder) }
        let path = "\(folder)/data"
        try Data([0]).write(to: URL(filePath: path))
        let file = try #require(FileHandle(forWritingAtPath: path))
        let calls = Monitor(0)
        // An interval that never passes here: only the kernel can call.
        let watch = FileWatch(of: path, orEvery: 3_600_000) { calls.change { $0 += 1 } }
        #expect(watch.isNotified)
        for written in 1...3 {
            let before = calls.change { $0 }
            try file.write(contentsOf: [UInt8(written)])
            #expect(calls.change(when: { $0 > before }) { $0 } > before)
        }
    }

    @Test func `a file that can't be watched is looked at again and again`() {
        let calls = Monitor(0)
        let watch = FileWatch(of: "/nowhere/at/all", orEvery: 1) { calls.change { $0 += 1 } }
        #expect(!watch.isNotified)
        #expect(calls.change(when: { $0 >= 3 }) { $0 } >= 3)
    }

    @Test func `a watch that was ended holds nothing`() {
        final class Held: Sendable {}
        weak var held: Held?
        do {
            let kept = Held()
            held = kept
            var watch: FileWatch? = FileWatch(of: "/nowhere", orEvery: 3_600_000) { _ = kept }
            #expect(watch?.isNotified == false)
            watch = nil
        }
        while held != nil {}
        #expect(held == nil)
    }
}
