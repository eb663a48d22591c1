// The fields of `stat` belong to whichever of the two the compiler reads first.
internal import CLinux
internal import Glibc

/// What the file system says about a path.
package struct FileInformation: Equatable, Sendable {
    /// What sort of thing lies at a path.
    package enum Kind: Equatable, Sendable {
        case file, directory, symbolicLink, other
    }

    /// What sort of thing it is.
    package let kind: Kind
    /// How many bytes it has.
    package let size: UInt64
    /// The permission bits, for example 0o600.
    package let mode: UInt32
    /// The number of the user who owns it.
    package let owner: UInt32
    /// The device that it lies on.
    package let device: UInt64
    /// Its number there: two paths with the same device and number are the same file.
    package let number: UInt64

    init(_ raw: stat) {
        kind =
            switch raw.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            default: .other
            }
        size = UInt64(clamping: raw.st_size)
        mode = UInt32(raw.st_mode & 0o7777)
        owner = UInt32(raw.st_uid)
        device = UInt64(raw.st_dev)
        number = UInt64(raw.st_ino)
    }
}
