/// The versions of what lies on disk that this program writes, and the newest that it reads.
package enum LogVersions {
    /// The tables and their keys, as the migrations make them.
    package static let layout: UInt64 = 1
    /// The envelope of an event.
    package static let format: UInt64 = 1
    /// The derived tables: those of another version are dropped and made again.
    package static let derived: UInt64 = 3
}
