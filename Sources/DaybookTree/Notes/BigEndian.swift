import DaybookEncoding

/// Key ids in the order in which they are written.
enum BigEndian {
    static func bytes(_ value: UInt32) -> Bytes {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
    }
}
