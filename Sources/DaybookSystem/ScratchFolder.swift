internal import Glibc

/// A folder for what nobody needs later, mode 0700, where the system keeps temporary files.
///
/// It goes with this value, and where a process was killed, when the next one makes such a folder.
package final class ScratchFolder {
    /// The folder's path.
    package let path: String
    private let folder: Descriptor

    private static let prefix = "daybook-scratch-"

    /// Makes the folder, in `$TMPDIR` or else `/tmp`.
    package init() throws(SystemError) {
        let place = Environment.value("TMPDIR") ?? "/tmp"
        Leftovers.remove(in: place, named: Self.prefix)
        folder = try Self.made(in: place)
        path = folder.path
    }

    deinit {
        // Best effort: the next such folder's making removes what is left.
        try? Files.removeTree(path)
    }

    private static func made(in place: String) throws(SystemError) -> Descriptor {
        while true {
            let path = try Leftovers.name("\(place)/\(prefix)")
            try Files.createDirectory(path, mode: 0o700)
            do throws(SystemError) {
                let folder = try Descriptor(path, O_RDONLY | O_DIRECTORY)
                if try Leftovers.hold(folder) { return folder }
            } catch where error.code == .noSuchFile {
                // Somebody took it for a leftover before it could be held.
                continue
            }
        }
    }
}
