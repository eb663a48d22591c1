/// The versions of what lies on disk that this program writes, and the newest that it reads.
package enum LogVersions {
    /// The tables and their keys, as the migrations make them.
    package static let layout: UInt64 = 2
    /// The oldest layout that is read without being migrated: it lacks only what is derived.
    package static let oldestReadableLayout: UInt64 = 1
    /// The envelope of an event.
    package static let format: UInt64 = 1
}
