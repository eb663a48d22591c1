internal import DaybookEncoding

/// Numbers in keys: eight bytes, the highest first, so that the order of keys is the natural one.
enum BigEndian {
    static func bytes(_ value: UInt64) -> Bytes {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * UInt64($0))) }
    }

    /// Nil unless there are exactly eight bytes.
    static func value(_ bytes: some Collection<UInt8>) -> UInt64? {
        bytes.count == 8 ? bytes.reduce(0) { $0 << 8 | UInt64($1) } : nil
    }
}
