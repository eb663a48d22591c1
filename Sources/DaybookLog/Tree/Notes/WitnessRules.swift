/// The rules of a witness: which checkpoints it cosigns, and with which status it refuses others.
///
/// https://c2sp.org/tlog-witness lists them. The ledger is a value: the caller keeps its state
/// durably before it hands out a cosignature.
package struct WitnessRules: Sendable {
    /// The keys of the logs that the witness was told of; several of one log if its key changed.
    package let logs: [NoteVerifierKey]

    /// The rules for some logs.
    package init(logs: [NoteVerifierKey]) {
        self.logs = logs
    }

    /// Why a request is refused.
    package enum Refusal: Error, Equatable, Sendable {
        /// The body is no request, or its old size is above the checkpoint's: 400.
        case malformed(String)
        /// The log of the checkpoint is unknown: 404.
        case unknownLog
        /// No key of the log has signed the checkpoint: 403.
        case unsigned
        /// The last checkpoint that was cosigned has another size: 409.
        case otherSize(UInt64)
        /// The log of the checkpoint does not continue the one that was cosigned: 422.
        case fork(size: UInt64)
        /// The proof does not show that the log continues the one of that size: 422.
        case notProven(size: UInt64)

        /// The status of HTTP.
        package var status: Int {
            switch self {
            case .malformed: 400
            case .unsigned: 403
            case .unknownLog: 404
            case .otherSize: 409
            case .fork, .notProven: 422
            }
        }
    }

    /// The checkpoint of a request, once its log's key has been found to have signed it.
    package func checkpoint(of request: AddCheckpoint) throws(Refusal) -> Checkpoint {
        let checkpoint: Checkpoint
        do throws(NoteError) {
            checkpoint = try Checkpoint(text: request.note.text)
        } catch {
            // Only the empty tree's root may be wrong in itself.
            if error == .malformedCheckpoint(line: 3) { throw .notProven(size: 0) }
            throw .malformed("\(error)")
        }
        let keys = logs.filter { $0.name == checkpoint.origin }
        if keys.isEmpty { throw .unknownLog }
        do throws(NoteError) {
            _ = try request.note.verified(by: keys)
        } catch {
            throw .unsigned
        }
        return checkpoint
    }

    /// The signatures of a note by keys of logs that the witness was told of.
    package func signatures(of note: SignedNote) -> [NoteSignature] {
        note.signatures.filter { signature in logs.contains { $0.claims(signature) } }
    }

    /// Throws unless the checkpoint of a request continues the last one that was cosigned.
    package func check(
        _ request: AddCheckpoint, _ checkpoint: Checkpoint, after last: TreeHead?
    ) throws(Refusal) {
        let new = checkpoint.head
        if request.oldSize > new.size { throw .malformed("the old size is above the checkpoint's") }
        let old = last ?? TreeHead(size: 0, root: .ofEmptyTree)
        if request.oldSize != old.size { throw .otherSize(old.size) }
        if request.proof.proves(old, beginsAs: new) { return }
        if old.size == new.size, old.root != new.root { throw .fork(size: old.size) }
        throw .notProven(size: old.size)
    }
}

extension WitnessRules.Refusal: CustomStringConvertible {
    /// One line in lower case.
    package var description: String {
        switch self {
        case .malformed(let reason): reason
        case .unknownLog: "this witness was not told of the log"
        case .unsigned: "no key of the log has signed the checkpoint"
        case .otherSize(let size): "the last checkpoint that was cosigned has \(size) events"
        case .fork(let size):
            "a fork: another checkpoint of \(size) events has been cosigned"
        case .notProven(let size):
            "a fork, or a wrong proof: the log does not continue the \(size) events that have been "
                + "cosigned"
        }
    }
}
