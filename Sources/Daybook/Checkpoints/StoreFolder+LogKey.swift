import DaybookCrypto
import DaybookLog
import DaybookSigner
import DaybookSystem

extension StoreFolder {
    /// The log's key, made where there is none yet.
    func makeLogKey() throws -> Ed25519PrivateKey {
        // Two processes at once: the second one waits, and finds the first one's key.
        let lock = try FileLock(directory: path)
        let file = LogKeyFile(path: logKey)
        if try file.exists() {
            _ = consume lock
            return try Self.key(in: file)
        }
        var seed = try Entropy.bytes(Ed25519PrivateKey.length)
        let key = try file.make(from: &seed)
        _ = consume lock
        return key
    }

    private static func key(in file: LogKeyFile) throws -> Ed25519PrivateKey {
        do throws(KeystoreError) {
            return try file.read()
        } catch .damaged {
            throw DaybookError(
                "logKeyDamaged", .store,
                "\(file.path) is not as it was written; put it back from a backup")
        } catch {
            throw error
        }
    }

    /// The public half of the log's key; nil where there is none.
    func logVerifierKey(ofLog logID: [UInt8]) throws -> NoteVerifierKey? {
        let file = LogKeyFile(path: logKey)
        guard try file.exists() else { return nil }
        return NoteVerifierKey(name: .ofLog(logID), publicKey: try Self.key(in: file).publicKey)
    }
}
