import Foundation

/// The memory of another process, which only root may read: ours forbid it to their own user.
package enum ProcessMemory {
    /// Whether this process may read others'.
    package static var isReadable: Bool { geteuid() == 0 }

    /// How often some bytes stand in the memory that a process can write to.
    package static func count(of needle: [UInt8], in process: Int32) throws -> Int {
        let maps = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
        let memory = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw CocoaError(.fileReadNoPermission) }
        defer { close(memory) }
        var found = 0
        for line in maps.split(separator: "\n") {
            let words = line.split(separator: " ")
            let ends = words[0].split(separator: "-").compactMap { UInt(String($0), radix: 16) }
            guard ends.count == 2, words[1].hasPrefix("rw") else { continue }
            found += count(of: needle, in: memory, from: ends[0], to: ends[1])
        }
        return found
    }

    private static func count(
        of needle: [UInt8], in memory: Int32, from start: UInt, to end: UInt
    ) -> Int {
        let piece = 4 << 20
        var buffer = [UInt8](repeating: 0, count: piece + needle.count)
        var (place, found) = (start, 0)
        while place < end {
            // Pieces overlap, so that none is missed at their borders.
            let wanted = min(Int(end - place), piece + needle.count - 1)
            let read = pread(memory, &buffer, wanted, off_t(truncatingIfNeeded: place))
            guard read > 0 else { break }
            found += count(of: needle, in: buffer, read)
            place += UInt(piece)
        }
        return found
    }

    private static func count(of needle: [UInt8], in buffer: [UInt8], _ length: Int) -> Int {
        buffer.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            var (next, found) = (0, 0)
            while next + needle.count <= length,
                let hit = memchr(start + next, Int32(needle[0]), length - needle.count + 1 - next)
            {
                if memcmp(hit, needle, needle.count) == 0 { found += 1 }
                next = UnsafeRawPointer(hit) - start + 1
            }
            return found
        }
    }
}
