import DaybookEncoding
import DaybookNodes
import DaybookSystem

/// The transactions of a store's cache folder, a file for each by its id.
///
/// The folder is worth nothing but time: it can be deleted at any time, and what a file holds is
/// believed only if it hashes to the id that is its name. Once it is too large, half of it goes.
struct TransactionFolder: TransactionFiles {
    let path: String
    private let limits: Limits
    private let sum = Monitor<Sum?>(nil)

    /// How much is kept.
    struct Limits {
        var files = 10_000
        var bytes = 64 << 20
        /// Longer transactions, which are rare, are asked for again.
        static let transaction = 100_000
    }

    /// What the folder holds.
    private struct Sum {
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
        sum.change { sum in
            // A folder that can't be written to costs only another question.
            do {
                var held = try sum ?? counted()
                if held.files >= limits.files || held.bytes + bytes.count > limits.bytes {
                    held = try halved()
                }
                try Files.writeCarelessly(path + "/" + txid, bytes, mode: 0o600)
                held.files += 1
                held.bytes += bytes.count
                sum = held
            } catch {
                sum = nil
            }
        }
    }

    private func counted() throws -> Sum {
        try Files.createDirectories(path, mode: 0o700)
        var sum = Sum(files: 0, bytes: 0)
        for name in try Files.list(path) {
            sum.files += 1
            sum.bytes += Int(try Files.information(path + "/" + name)?.size ?? 0)
        }
        return sum
    }

    /// Removes half of the files: which ones is chance, as their ids are.
    private func halved() throws -> Sum {
        let names = try Files.list(path)
        for name in names.prefix((names.count + 1) / 2) { try Files.remove(path + "/" + name) }
        return try counted()
    }
}
