import DaybookEncoding
import DaybookLog
import DaybookNodes

/// Asks a witness to cosign a checkpoint: https://c2sp.org/tlog-witness.
struct WitnessClient: Sendable {
    let witness: KnownWitness
    private let client: HTTPClient

    /// Nobody should wait long for a witness that is silent: the next checkpoint asks it again.
    private static let limits = HTTPLimits(
        connectMilliseconds: 1_000, totalMilliseconds: 3_000, answerBytes: NoteLimits.noteBytes)
    private static let sizeType = "text/x.tlog.size"

    init(_ witness: KnownWitness) {
        self.witness = witness
        client = HTTPClient(
            HTTPTarget(url: witness.url + "/add-checkpoint"), limits: Self.limits)
    }

    /// The witness's cosignature of a checkpoint, verified.
    ///
    /// `last` is the size that it is thought to have cosigned; if it names another one, it is asked
    /// once more from there. `proof` makes the proof from a size to the checkpoint's.
    ///
    /// - Throws: `witnessUnreachable`, `witnessRefuses`, `witnessForked`, `witnessAhead`,
    ///   `witnessWrong`.
    func cosignature(
        of note: SignedNote, size: UInt64, after last: UInt64,
        proof: (_ from: UInt64) async throws -> ConsistencyProof
    ) async throws -> Cosignature {
        var old = last
        for attempt in 1...2 {
            let answer = try await post(
                AddCheckpoint(oldSize: old, proof: try await proof(old), note: note))
            guard answer.status == 409, attempt == 1 else { return try cosignature(answer, note) }
            old = try cosignedSize(in: answer)
            guard old <= size else {
                throw failure(
                    .witnessAhead,
                    "it has cosigned \(old) events of this log, and the checkpoint has only "
                        + "\(size): was the store set back to an older copy?")
            }
        }
        preconditionFailure("the second answer is the last")
    }

    private func post(_ request: AddCheckpoint) async throws -> HTTPResponse {
        do throws(HTTPFailure) {
            return try await client.post(request.bytes, contentType: "text/plain")
        } catch {
            throw failure(.witnessUnreachable, ChainFailure(error).message)
        }
    }

    private func cosignedSize(in answer: HTTPResponse) throws -> UInt64 {
        let type = answer.contentType?.split(separator: ";").first.map(String.init)
        guard type.map({ Text.equal($0.lowercased(), Self.sizeType) }) ?? false,
            let size = AddCheckpoint.size(answer.body)
        else { throw failure(.witnessWrong, "it answers 409 without the size that it has") }
        return size
    }

    private func cosignature(_ answer: HTTPResponse, _ note: SignedNote) throws -> Cosignature {
        let number = answer.status
        switch number {
        case 200: break
        case 403: throw failure(.witnessRefuses, "it does not take this log's key (403)")
        case 404: throw failure(.witnessRefuses, "it was not told of this log (404)")
        case 409: throw failure(.witnessWrong, "it names another size each time (409)")
        case 422:
            throw failure(
                .witnessForked,
                "it has cosigned another log of this name, which this one does not continue (422)")
        default: throw failure(.witnessWrong, "it answers with status \(number)")
        }
        guard let signatures = SignedNote.signatures(answer.body) else {
            throw failure(.witnessWrong, "its answer has other lines than signatures")
        }
        let found: Cosignature?
        do throws(NoteError) {
            found = try witness.key.cosignature(of: note.text, among: signatures)
        } catch {
            throw failure(.witnessWrong, "its cosignature of this checkpoint is wrong")
        }
        guard let found else {
            throw failure(.witnessWrong, "no signature in its answer is of the key that is set")
        }
        return found
    }

    /// A failure that names the witness.
    func failure(_ code: DaybookError.Code, _ reason: String) -> DaybookError {
        DaybookError(code, .node, "witness \(Text.escaped(witness.key.nameText)): \(reason)")
    }
}
