/// Every limit of an export, in one place.
package enum ExportLimits {
    /// The version of both formats that this program writes, and the newest that it reads.
    package static let version: UInt64 = 1
    /// A frame's payload: the longest event and the longest note fit.
    package static let payloadBytes = LogLimits.eventBytes
    /// A line without its line break. A byte of CBOR becomes thirteen characters of JSON at worst.
    package static let lineBytes = 4 * 1024 * 1024
    /// The nesting of a line's JSON: three levels for each level of CBOR.
    static let lineDepth = 64
    /// How much is read or written at a time.
    static let chunkBytes = 64 * 1024
}
