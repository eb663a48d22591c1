/// Every limit of the log, in one place; beyond one is a clear error and nothing is half-written.
package enum LogLimits {
    /// An event's bytes: a link of 64 KiB and a transaction of 100 kB fit, with what is around.
    package static let eventBytes = 262_144
    /// A stream's name in UTF-8.
    package static let streamBytes = 200
    /// A type's name in UTF-8.
    package static let typeBytes = 64
    /// An actor's name in UTF-8.
    package static let actorBytes = 128
    /// The key of a state row: LMDB keeps no longer ones.
    package static let rowKeyBytes = 511
    /// The log's id.
    package static let idBytes = 16
}
