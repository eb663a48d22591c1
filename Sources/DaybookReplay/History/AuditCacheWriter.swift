import DaybookCrypto
package import DaybookEncoding
import DaybookSystem

/// Writes the file of an `AuditCache`, row by row in the order of tables and keys.
///
/// The file has no name of its own, and is deleted with this value, until `complete` names it.
package struct AuditCacheWriter: ~Copyable {
    private let file: NewFile
    private var hasher = SHA256Hasher()
    private var bytes = AuditCache.beginning
    private var failure: (any Error)?

    /// How many bytes are written and hashed at a time.
    private static let piece = 1 << 18

    /// Begins a file that will lie beside a path.
    package init(beside path: String) throws {
        file = try NewFile(path + ".state", mode: 0o600)
    }

    /// Adds a row; the first failure is thrown by `finish`.
    package mutating func add(_ table: AuditCache.Table, _ key: Bytes, _ value: Bytes) {
        BigEndian.append(UInt32(truncatingIfNeeded: key.count + 1), to: &bytes)
        BigEndian.append(UInt32(truncatingIfNeeded: value.count), to: &bytes)
        bytes.append(table.rawValue)
        bytes.append(contentsOf: key)
        bytes.append(contentsOf: value)
        if bytes.count >= Self.piece { flush() }
    }

    /// Adds all rows of a table.
    package mutating func add(_ table: AuditCache.Table, _ rows: any Rows) {
        rows.walk { add(table, $0, $1) }
    }

    private mutating func flush() {
        hasher.update(bytes)
        if failure == nil {
            do {
                try file.write(bytes)
            } catch {
                failure = error
            }
        }
        bytes.removeAll(keepingCapacity: true)
    }

    /// The digest of the file, which then is complete.
    package consuming func finish() throws -> Written {
        flush()
        if let failure { throw failure }
        return Written(file: file, digest: hasher.finish())
    }

    /// A complete file that has no name yet.
    package struct Written {
        private let file: NewFile
        /// The digest over the whole file.
        package let digest: Bytes

        fileprivate init(file: NewFile, digest: Bytes) {
            (self.file, self.digest) = (file, digest)
        }

        /// Makes the file durable under the name that follows from the digest.
        package func complete(beside path: String) throws {
            try file.complete(replacing: true, as: AuditCacheFiles.path(of: digest, beside: path))
        }
    }
}

/// The names of caches beside the results that name them by their digests.
///
/// A result and its cache can't be replaced at once: each cache has a name of its own, so that a
/// crash leaves a result with its own one.
package enum AuditCacheFiles {
    /// The path of the cache with a digest, beside a result.
    package static func path(of digest: Bytes, beside result: String) -> String {
        "\(result).\(Hex.encode(Bytes(digest.prefix(8)))).state"
    }

    /// Names a result's cache, then the result itself, and deletes the caches of earlier ones.
    ///
    /// Two programs that replace one result do so one after the other.
    package static func publish(
        _ result: Bytes, at path: String, with cache: AuditCacheWriter.Written
    ) throws {
        let folder = Files.parent(of: path)
        let lock = try FileLock(directory: folder)
        try cache.complete(beside: path)
        try Files.writeAtomically(path, result, mode: 0o644)
        let own = Files.name(of: self.path(of: cache.digest, beside: path))
        let (prefix, suffix) = (Files.name(of: path) + ".", ".state")
        for name in try Files.list(folder)
        where name != own && name.utf8.count == own.utf8.count
            && Text.begins(name, with: prefix)
            && name.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
            && Hex.decode(String(name.dropFirst(prefix.count).prefix(16))) != nil
        {
            try Files.remove("\(folder)/\(name)")
        }
        _ = consume lock
    }
}
