import DaybookCrypto
package import DaybookEncoding
import DaybookLog
import DaybookSigner
import DaybookSystem

/// A witness of other programs' logs: https://c2sp.org/tlog-witness.
///
/// It cosigns a checkpoint only if its log continues the last one that it cosigned, which it keeps
/// in a folder of its own. A cosigned checkpoint is durable before anybody sees its cosignature.
package actor Witness {
    /// The public key, as text.
    package nonisolated let key: String
    private let signer: WitnessSigningKey
    private let rules: WitnessRules
    private let folder: String
    private let lock: FileLock
    private let clock: @Sendable () -> UInt64
    /// The last cosigned note of each log, by the log's name.
    private var notes: [NoteKeyName: (head: TreeHead, note: SignedNote)] = [:]

    /// Opens a witness's folder, and its key, which is made where there is none.
    ///
    /// `logs` are the verifier keys of the logs that it cosigns.
    ///
    /// - Throws: `invalidLogKey`, `witnessRunning` if another process has the folder,
    ///   `witnessDamaged`, `permissionDenied`, `diskFull`.
    package init(
        keyFile: String, logs: [String], folder: String,
        clock: @escaping @Sendable () -> UInt64 = { Clock.nowMicroseconds() }
    ) throws {
        rules = WitnessRules(logs: try logs.map(Self.logKey))
        try Files.createDirectories(folder, mode: 0o700)
        do throws(SystemError) {
            lock = try FileLock(withoutWaiting: folder + "/lock", byte: 0)
        } catch {
            guard error.code == .wouldBlock else { throw error }
            throw DaybookError(
                .witnessRunning, .store, "another process is the witness with \(folder)")
        }
        let file = LogKeyFile(path: keyFile, of: .witness)
        var seed = try Entropy.bytes(Ed25519PrivateKey.length)
        let privateKey = try file.exists() ? file.read() : file.make(from: &seed)
        signer = WitnessSigningKey(name: Self.name(privateKey.publicKey), privateKey: privateKey)
        key = signer.key.text
        (self.folder, self.clock) = (folder, clock)
        for name in Set(rules.logs.map(\.name)) {
            notes[name] = try Self.note(of: name, in: folder, signer.key)
        }
    }

    /// The answer to a request to add a checkpoint.
    package enum Answer: Sendable {
        /// The signature line of the cosignature.
        case cosigned(Bytes)
        /// The size of the last checkpoint that was cosigned, which is not the request's old size.
        case otherSize(UInt64)
        /// The status of HTTP and the reason; a fork is something that people should know of.
        case refused(status: Int, reason: String, isFork: Bool)
        /// The checkpoint could not be kept.
        case failed(DaybookError)
    }

    /// Cosigns the checkpoint of a request, or says why not.
    package func answer(_ request: Bytes) -> Answer {
        do {
            return .cosigned(try add(request))
        } catch let refusal as WitnessRules.Refusal {
            switch refusal {
            case .otherSize(let size): return .otherSize(size)
            case .malformed, .unknownLog, .unsigned:
                return .refused(status: refusal.status, reason: "\(refusal)", isFork: false)
            case .fork, .notProven:
                return .refused(status: refusal.status, reason: "\(refusal)", isFork: true)
            }
        } catch {
            return .failed(DaybookError.from(error))
        }
    }

    /// The signature line of a cosignature for a request to add a checkpoint.
    private func add(_ request: Bytes) throws -> Bytes {
        let request = try Self.request(request)
        let checkpoint = try rules.checkpoint(of: request)
        try rules.check(request, checkpoint, after: notes[checkpoint.origin]?.head)
        let cosignature = signer.cosign(request.note.text, at: clock() / 1_000_000)
        let signature = signer.key.signature(cosignature)
        let note = SignedNote(
            text: request.note.text, signatures: rules.signatures(of: request.note) + [signature])
        try Files.writeAtomically(
            Self.path(of: checkpoint.origin, in: folder), note.bytes, mode: 0o600)
        notes[checkpoint.origin] = (checkpoint.head, note)
        return signature.line
    }

    /// The last cosigned checkpoint of the log whose name has this digest, in hex.
    package func checkpoint(ofLog digest: String) -> Bytes? {
        notes.first { Text.equal(Self.digest(of: $0.key), digest) }?.value.note.bytes
    }

    private static func request(_ bytes: Bytes) throws(WitnessRules.Refusal) -> AddCheckpoint {
        do throws(NoteError) {
            return try AddCheckpoint(bytes)
        } catch {
            throw .malformed("\(error)")
        }
    }

    private static func logKey(_ text: String) throws -> NoteVerifierKey {
        do throws(NoteError) {
            return try NoteVerifierKey(text)
        } catch {
            throw DaybookError(
                .invalidLogKey, .usage,
                "this is no log's key: \(error); `daybook checkpoint` prints it")
        }
    }

    /// The name of a witness's key, which follows from it.
    private static func name(_ key: Ed25519PublicKey) -> NoteKeyName {
        NoteKeyName.ofWitness(SHA256.hash(key.bytes))
    }

    /// The last cosigned note in the folder; nil before the first.
    private static func note(
        of name: NoteKeyName, in folder: String, _ key: WitnessKey
    ) throws -> (head: TreeHead, note: SignedNote)? {
        let path = path(of: name, in: folder)
        NewFile.removeLeftovers(of: path)
        guard try Files.exists(path) else { return nil }
        do {
            let note = try SignedNote(try Files.read(path, limit: NoteLimits.noteBytes))
            let checkpoint = try Checkpoint(text: note.text)
            guard checkpoint.origin == name,
                try key.cosignature(of: note.text, among: note.signatures) != nil
            else { throw NoteError.noKnownSignature }
            return (checkpoint.head, note)
        } catch let error as NoteError {
            throw DaybookError(
                .witnessDamaged, .store,
                "\(path) is not what this witness has cosigned (\(error)): put it back from a "
                    + "backup; without it the witness would cosign a fork")
        }
    }

    private static func path(of name: NoteKeyName, in folder: String) -> String {
        folder + "/" + digest(of: name)
    }

    /// The SHA-256 of a log's name, in hex, by which addresses and files name the log.
    private static func digest(of name: NoteKeyName) -> String {
        Hex.encode(SHA256.hash(name.bytes))
    }
}
