import DaybookDomain
import DaybookEncoding
package import DaybookLog

/// The keys and certificates that an auditor trusts, and heads kept outside of the store.
package struct AuditTrust: Sendable {
    /// The log must be consistent with them.
    package var heads: [VouchedHead] = []
    /// The log's checkpoints count as signed if one of these keys has signed them.
    package var keys: [NoteVerifierKey] = []
    /// They count as seen by a witness if its key is among these.
    package var witnesses: [WitnessKey] = []
    /// Their time stamps count if they lead to one of these certificates.
    package var authorities: StampTrust?

    package init(
        heads: [VouchedHead] = [], keys: [NoteVerifierKey] = [], witnesses: [WitnessKey] = [],
        authorities: StampTrust? = nil
    ) {
        (self.heads, self.keys) = (heads, keys)
        (self.witnesses, self.authorities) = (witnesses, authorities)
    }
}

extension Payload {
    /// Whether somebody outside of the store vouches by this event for a checkpoint.
    var vouches: Bool {
        if case .checkpointCosigned = self { return true }
        if case .checkpointStamped = self { return true }
        return false
    }
}

/// A head of a log that somebody keeps outside of the store, and who vouches for it.
package struct VouchedHead: Equatable, Sendable {
    package let head: TreeHead
    /// The verified cosignatures of it.
    package let claims: [Claim]

    /// Someone vouched for the head at a time, in microseconds since 1970.
    package struct Claim: Equatable, Sendable {
        package let by: Coverage.Voucher
        package let time: UInt64

        package init(_ by: Coverage.Voucher, at time: UInt64) { (self.by, self.time) = (by, time) }
    }

    package init(_ head: TreeHead, claims: [Claim] = []) {
        (self.head, self.claims) = (head, claims)
    }
}

extension Coverage.Voucher {
    /// The holder of a witness's key.
    package init(_ key: WitnessKey) {
        self.init(.witness, name: key.nameText, identity: Bytes(key.text.utf8))
    }
}

extension WitnessKey {
    /// The claim of this key among the signatures of a note; nil if none names it.
    ///
    /// - Throws: `wrongSignature`.
    package func claim(in note: SignedNote) throws(NoteError) -> VouchedHead.Claim? {
        try cosignature(of: note.text, among: note.signatures).map {
            VouchedHead.Claim(Coverage.Voucher(self), at: $0.time)
        }
    }
}

/// Verifies the cosignatures in a log by the keys that an auditor trusts, and collects their cover.
///
/// It takes events and notes in their order. Without keys nothing counts. Memory grows with the
/// checkpoints, not with the events.
struct CoverageCheck {
    /// A fault, and the event that it is about.
    typealias Fault = StampTally.Fault

    private(set) var coverage = Coverage()
    private(set) var stamps: StampTally
    private let witnesses: [WitnessKey]
    private var clock = ClockCheck()
    /// The log's name, once a checkpoint has said it.
    private var origin: NoteKeyName?
    /// The heads that the log's own checkpoints signed, by their sizes.
    private var heads: [UInt64: TreeHead] = [:]
    /// How many cosignatures the log has.
    private var recorded: UInt64 = 0
    /// How many of them could not be verified, because their checkpoints are left out.
    private var withoutCheckpoint: UInt64 = 0

    init(_ trust: AuditTrust) {
        witnesses = trust.witnesses
        stamps = StampTally(trust.authorities)
    }

    /// The latest of the events that were taken.
    var latest: LatestTime? { clock.latest }

    /// Goes on after events of which this one is the latest.
    mutating func goOn(after latest: LatestTime?) { clock.latest = latest }

    /// Takes the next event, of a whole log or of a part of one.
    mutating func take(_ event: Event, isPart: Bool = false) -> [Fault] {
        clock.take(event.time, at: event.position)
        if case .checkpointStamped(let data) = event.payload {
            return stamps.take(data, of: event, isPart: isPart, clock, into: &coverage)
        }
        guard case .checkpointCosigned(let data) = event.payload else { return [] }
        recorded += 1
        guard let key = witnesses.first(where: { Text.equal($0.text, data.key) }) else { return [] }
        guard let origin, let head = heads[data.checkpoint.number] else {
            withoutCheckpoint += 1
            return []
        }
        let text = Checkpoint(origin: origin, head: head).text
        guard let cosignature = Cosignature(data.line), key.verifies(cosignature, of: text) else {
            let message = "it records what is no cosignature of checkpoint \(data.checkpoint) by "
                + "\(Text.escaped(key.nameText))"
            return [Fault(.checkpointMismatch, at: event.position, message)]
        }
        let claim = VouchedHead.Claim(Coverage.Voucher(key), at: cosignature.time)
        let off = ClockCheck.disagreement(recorded: event.time, with: claim.time, of: claim.by)
        return (off.map { [Fault(.timeDisagrees, at: event.position, $0)] } ?? [])
            + cover(head, [claim])
    }

    /// Takes the note of a checkpoint of the log, which must be of the head of the events so far.
    ///
    /// Only a note as this program writes it can be cosigned: one without further lines.
    mutating func take(note: SignedNote, of head: TreeHead) -> [Fault] {
        guard let checkpoint = try? Checkpoint(text: note.text), checkpoint.head == head,
            checkpoint.extensions.isEmpty, checkpoint.origin == origin ?? checkpoint.origin
        else { return [] }
        origin = checkpoint.origin
        heads[head.size] = head
        stamps.take(text: note.text, at: Position(head.size))
        clock.mark(head.size)
        var faults: [Fault] = []
        for key in witnesses {
            do throws(NoteError) {
                if let claim = try key.claim(in: note) { faults += cover(head, [claim]) }
            } catch {
                let message = "the checkpoint before it: \(error)"
                faults.append(Fault(.checkpointMismatch, at: Position(head.size), message))
            }
        }
        return faults
    }

    /// Takes a head that the log has, and that was vouched for outside of the store.
    ///
    /// Of an earlier one it is known only at checkpoints which event was the latest.
    mutating func take(_ vouched: VouchedHead, isEarlier: Bool = false) -> [Fault] {
        if !isEarlier { clock.mark(vouched.head.size) }
        return cover(vouched.head, vouched.claims)
    }

    private mutating func cover(_ head: TreeHead, _ claims: [VouchedHead.Claim]) -> [Fault] {
        claims.compactMap { claim in
            coverage.add(claim.by, size: head.size, at: claim.time)
            return clock.later(than: claim.time, size: head.size, of: claim.by).map {
                Fault(.timeDisagrees, at: $0.position, $0.message)
            }
        }
    }

    /// The gaps that remain.
    var gaps: [Verification.Gap] { witnessGaps + stamps.gaps }

    private var witnessGaps: [Verification.Gap] {
        if witnesses.isEmpty {
            if recorded == 0 { return [] }
            let why = "\(recorded) cosignatures are recorded, and no witness's key was given"
            return [.init(.witnesses, why)]
        }
        let silent = witnesses.filter { !coverage.has(Coverage.Voucher($0)) }
        var gaps = silent.map {
            let name = Text.escaped($0.nameText)
            return Verification.Gap(.witnesses, "\(name) has cosigned nothing here")
        }
        if withoutCheckpoint > 0 {
            let why = "the checkpoints of \(withoutCheckpoint) cosignatures are left out"
            gaps.append(.init(.witnesses, why))
        }
        return gaps
    }
}
