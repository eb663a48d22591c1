import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLog
import Foundation
import Testing
import TestSupport

@testable import DaybookReplay

/// The recorded time stamps that count, of logs that somebody made by hand.
struct StampTallyTests {
    private let authority: StampAuthority
    private let trust: StampTrust
    private let note: SignedNote
    private let token: Bytes
    /// When the authority has stamped.
    private let time: UInt64

    init() throws {
        authority = try StampAuthority.shared.get()
        trust = try StampTrust(
            pem: Bytes(Data(contentsOf: URL(fileURLWithPath: authority.root))))
        note = try Self.note(of: 3)
        let request = TimeStampRequest(digest: SHA256.hash(note.text), nonce: 1)
        let stamp = try TimeStampToken(
            answer: try authority.answer(.lone, to: request.bytes), to: request)
        (token, time) = (stamp.bytes, stamp.time)
    }

    @Test func `a stamp of its checkpoint covers the events before it`() throws {
        var audit = Audited(trust)
        audit.tally.take(text: note.text, at: 3)
        #expect(audit.stamp(token, of: 3, at: time).isEmpty)
        #expect((audit.tally.count, audit.tally.verified) == (1, 1))
        let span = try #require(audit.coverage.spans(of: 5).first)
        #expect((span.from, span.to, span.time) == (0, 2, time))
        #expect(span.by?.name == "O=Daybook's tests,CN=lone")
    }

    @Test func `a stamp of another root is a fault, with certificates and without`() throws {
        for trust in [trust, nil] {
            var audit = Audited(trust)
            audit.tally.take(text: try Self.note(of: 4).text, at: 3)
            let faults = audit.stamp(token, of: 3, at: time)
            #expect(faults.map(\.rule) == [.stampInvalid])
            #expect(faults.map(\.message) == ["the stamp is of something else"])
            #expect(faults.map(\.position) == [9])
            #expect(audit.coverage.isEmpty)
        }
    }

    @Test func `a stamp of no checkpoint, or that is none, is a fault`() throws {
        var audit = Audited(trust)
        #expect(
            audit.stamp(token, of: 3, at: time).map(\.message)
                == ["it stamps no checkpoint of this log"])
        audit.tally.take(text: note.text, at: 3)
        for bad in [[], [0x30, 0], Bytes(token.dropLast())] {
            #expect(
                audit.stamp(bad, of: 3, at: time).map(\.message) == ["not a time stamp token"])
        }
        #expect(audit.tally.verified == 0)
    }

    @Test func `a stamp that was moved to another checkpoint is a fault`() throws {
        var audit = Audited(trust)
        audit.tally.take(text: note.text, at: 3)
        audit.tally.take(text: try Self.note(of: 5).text, at: 5)
        #expect(audit.stamp(token, of: 5, at: time).map(\.rule) == [.stampInvalid])
    }

    @Test func `events that claim to be later than their stamp are named`() throws {
        var audit = Audited(trust)
        let hour: UInt64 = 3_600_000_000
        for (position, late) in [(Position(0), UInt64(0)), (1, hour), (2, 0)] {
            audit.clock.take(time + late, at: position)
        }
        audit.clock.mark(3)
        audit.tally.take(text: note.text, at: 3)
        let faults = audit.stamp(token, of: 3, at: time + 2 * hour)
        #expect(faults.map(\.rule) == [.timeDisagrees, .timeDisagrees])
        #expect(faults.map(\.position) == [9, 1])
    }

    /// The parts of an audit that a stamp is checked with.
    private struct Audited {
        var tally: StampTally
        var coverage = Coverage()
        var clock = ClockCheck()

        init(_ trust: StampTrust?) { tally = StampTally(trust) }

        /// The faults of a stamp that is recorded as event 9.
        mutating func stamp(
            _ token: Bytes, of checkpoint: Position, at time: UInt64
        ) -> [StampTally.Fault] {
            let data = CheckpointStamped(checkpoint: checkpoint, token: token)
            let event = Event(
                position: 9, time: time, session: 0, request: nil,
                payload: .checkpointStamped(data))
            return tally.take(data, of: event, clock, into: &coverage)
        }
    }

    private static func note(of size: UInt64) throws -> SignedNote {
        let seed = SecretBytes(copying: Bytes(repeating: 7, count: 32))
        guard let privateKey = Ed25519PrivateKey(seed) else { throw NoteError.malformedKey }
        let key = NoteSigningKey(name: try NoteKeyName("daybook/log"), privateKey: privateKey)
        return key.sign(TreeHead(size: size, root: .ofEmptyTree))
    }
}
