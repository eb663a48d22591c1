internal import DaybookSystem
internal import Glibc
internal import Synchronization

/// Counts this program's calls that make a file or a name durable, and dies just before the one
/// that it is told; those of liblmdb are not among them.
///
/// The functions below stand in front of the C library's of the same names: a program's own
/// symbols come first. A system call tracer could do the same, but it counts by thread, and an
/// actor has no thread of its own.
enum DiskCalls {
    // Tests that link this program's parts but are not this program count nothing.
    private static let made = Mutex((count: 0, fatal: Int?.none))

    static func count(dyingAt number: Int) {
        made.withLock { $0.fatal = number }
    }

    static func begin(_ name: String) {
        let isFatal: Bool? = made.withLock { made in
            made.count += 1
            return made.fatal.map { $0 == made.count }
        }
        guard let isFatal else { return }
        say("disk \(name)")
        if isFatal { _ = kill(Process.identifier, SIGKILL) }
    }

    /// The C library's own function; it is always there, because this program is linked to it.
    fileprivate static func original(_ name: String) -> UnsafeMutableRawPointer? {
        // RTLD_NEXT, a cast that Swift does not import.
        unsafe dlsym(UnsafeMutableRawPointer(bitPattern: -1), name)
    }
}

private typealias Sync = @convention(c) (Int32) -> Int32
private typealias Rename = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32

/// `fsync(2)`, counted.
@_cdecl("fsync")
public func countedSync(_ file: Int32) -> Int32 {
    DiskCalls.begin("fsync")
    guard let original = unsafe DiskCalls.original("fsync") else { return -1 }
    return unsafe unsafeBitCast(original, to: Sync.self)(file)
}

/// `rename(2)`, counted.
@_cdecl("rename")
public func countedRename(
    _ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>
) -> Int32 {
    DiskCalls.begin("rename")
    guard let original = unsafe DiskCalls.original("rename") else { return -1 }
    return unsafe unsafeBitCast(original, to: Rename.self)(old, new)
}
