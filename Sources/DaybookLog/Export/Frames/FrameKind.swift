import DaybookEncoding

/// The first byte of a frame: a letter, which is easy to see in a dump of the bytes.
enum FrameKind: UInt8 {
    case header = 0x48  // H
    case event = 0x45  // E
    case leftOut = 0x4c  // L
    case checkpoint = 0x43  // C
    case trailer = 0x54  // T
}

/// The beginning of a file of frames, and of each frame.
enum FrameFile {
    /// The first bytes of every version.
    static let name = Bytes("daybook".utf8)
    /// The bytes of the kind and the payload's length.
    static let headBytes = 5

    /// The first bytes: `daybook` and the version of the format as one byte.
    static let magic = name + [UInt8(ExportLimits.version)]

    /// The kind, then the length as four bytes, big-endian.
    static func head(kind: UInt8, length: Int) -> Bytes {
        let shifts = stride(from: 24, through: 0, by: -8)
        return [kind] + shifts.map { UInt8(truncatingIfNeeded: length >> $0) }
    }
}
