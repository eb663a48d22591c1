import DaybookEncoding
package import DaybookLog

/// What the keys that an auditor trusts have signed of a log's checkpoints.
package struct CheckpointTally {
    private let keys: [NoteVerifierKey]
    private var last: Bytes?
    /// How many notes there were.
    package private(set) var count: UInt64 = 0
    /// How many of them a trusted key has signed.
    package private(set) var signed: UInt64 = 0
    /// How many events the last one has that a trusted key has signed.
    package private(set) var signedSize: UInt64 = 0

    /// A tally for these keys; without any nothing counts as signed.
    package init(_ keys: [NoteVerifierKey]) {
        self.keys = keys
    }

    /// Takes the note of a checkpoint of so many events; returns what is wrong with its signature.
    ///
    /// An export has a note on its own and in the event that recorded it: that is one note.
    mutating func take(_ note: Bytes, size: UInt64) -> NoteError? {
        if note == last { return nil }
        last = note
        count += 1
        if keys.isEmpty { return nil }
        do throws(NoteError) {
            _ = try SignedNote(note).verified(by: keys)
            signed += 1
            signedSize = size
            return nil
        } catch .noKnownSignature {
            return nil
        } catch {
            return error
        }
    }

    /// What the signatures leave open, so many events being behind the last that counts.
    func gaps(eventsAfterSigned: UInt64) -> [Verification.Gap] {
        if count == 0 { return [] }
        if keys.isEmpty {
            return [.init(.checkpointSignatures, "no key of the log was given")]
        }
        var gaps: [Verification.Gap] = []
        if signed < count {
            let others = "\(count - signed) of \(count) are signed by other keys"
            gaps.append(.init(.checkpointSignatures, others))
        }
        if signed > 0, eventsAfterSigned > 0 {
            let rest = "\(eventsAfterSigned) events come after the last checkpoint that is signed"
            gaps.append(.init(.eventsAfterCheckpoint, rest))
        }
        return gaps
    }
}
