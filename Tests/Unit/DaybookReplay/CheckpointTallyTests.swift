import DaybookCrypto
import DaybookEncoding
import DaybookLog
import Testing

@testable import DaybookReplay

/// How an audit counts the checkpoints of a log.
struct CheckpointTallyTests {
    @Test func `a note that others sign too is the same checkpoint`() throws {
        let log = try key("daybook/log", 1)
        let text = log.sign(TreeHead(size: 0, root: .ofEmptyTree))
        let witness = try key("witness", 2).sign(TreeHead(size: 0, root: .ofEmptyTree))
        let cosigned = text.bytes + witness.bytes.dropFirst(witness.text.count + 1)
        var tally = CheckpointTally([log.verifierKey])
        #expect(tally.take(text.bytes, size: 0) == nil)
        #expect(tally.take(cosigned, size: 0) == nil)
        #expect((tally.count, tally.signed) == (1, 1))
        // The signature that counts may stand in the second copy alone.
        var late = CheckpointTally([log.verifierKey])
        let unsigned = text.text + [0x0a] + witness.bytes.dropFirst(witness.text.count + 1)
        #expect(late.take(unsigned, size: 0) == nil)
        #expect(late.signed == 0)
        #expect(late.take(cosigned, size: 0) == nil)
        #expect((late.count, late.signed) == (1, 1))
    }

    private func key(_ name: String, _ byte: UInt8) throws -> NoteSigningKey {
        let seed = SecretBytes(copying: Bytes(repeating: byte, count: 32))
        guard let key = Ed25519PrivateKey(seed) else { throw NoteError.malformedKey }
        return NoteSigningKey(name: try NoteKeyName(name), privateKey: key)
    }
}
