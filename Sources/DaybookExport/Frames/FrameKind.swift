import DaybookEncoding

/// The first byte of a frame: a letter, so that a look at the bytes says what is there.
enum FrameKind: UInt8 {
    case header = 0x48  // H
    case event = 0x45  // E
    case leftOut = 0x4c  // L
    case checkpoint = 0x43  // C
    case trailer = 0x54  // T
}

/// What a file of frames begins with.
enum FrameFile {
    /// `daybook` and the version of the format as one byte.
    static let name = Bytes("daybook".utf8)
    /// The kind and the payload's length before the payload.
    static let headBytes = 5

    static let magic = name + [UInt8(ExportLimits.version)]

    /// The kind, then the length as four bytes, big-endian.
    static func head(kind: UInt8, length: Int) -> Bytes {
        let shifts = stride(from: 24, through: 0, by: -8)
        return [kind] + shifts.map { UInt8(truncatingIfNeeded: length >> $0) }
    }
}
