import DaybookEncoding
import DaybookNodes
import DaybookSystem

/// A store's cache of transactions: a folder with one file for each, named by its id.
///
/// The folder can be deleted at any time. A file's content counts only if it hashes to the id in
/// its name. When the folder is full, half of the files are removed.
struct TransactionFolder: TransactionFiles {
    let path: String
    private let limits: Limits
    private let size = Monitor<Size?>(nil)

    /// The size limits of the folder.
    struct Limits {
        var files = 10_000
        var bytes = 64 << 20
        /// Longer transactions are rare and not cached.
        static let transaction = 100_000
    }

    /// The size of the folder; nil until it was counted.
    private struct Size {
        var files: Int
        var bytes: Int
    }

    init(path: String, limits: Limits = Limits()) {
        self.path = path
        self.limits = limits
    }

    func bytes(of txid: String) -> Bytes? {
        guard let bytes = try? Files.read(path + "/" + txid, limit: Limits.transaction) else {
            return nil
        }
        return bytes
    }

    func keep(_ bytes: Bytes, of txid: String) {
        guard bytes.count <= Limits.transaction else { return }
        size.change { size in
            // If the folder can't be written to, the transaction is only fetched again.
            do {
                var known = try size ?? count()
                if known.files >= limits.files || known.bytes + bytes.count > limits.bytes {
                    known = try removeHalf()
                }
                try Files.writeCarelessly(path + "/" + txid, bytes, mode: 0o600)
                known.files += 1
                known.bytes += bytes.count
                size = known
            } catch {
                size = nil
            }
        }
    }

    private func count() throws -> Size {
        try Files.createDirectories(path, mode: 0o700)
        var size = Size(files: 0, bytes: 0)
        for name in try Files.list(path) {
            size.files += 1
            size.bytes += Int(try Files.information(path + "/" + name)?.size ?? 0)
        }
        return size
    }

    /// Removes half of the files: a random half, because their names are hashes.
    private func removeHalf() throws -> Size {
        let names = try Files.list(path)
        for name in names.prefix((names.count + 1) / 2) { try Files.remove(path + "/" + name) }
        return try count()
    }
}
