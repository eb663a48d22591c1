import DaybookCrypto
import DaybookEncoding
import Testing

@testable import DaybookLog

/// Cosignatures and keys of witnesses, as https://c2sp.org/tlog-cosignature has them.
struct CosignatureTests {
    /// The example of the specification.
    private static let example = """
        example.com/behind-the-sofa
        20852163
        CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

        — example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN\
        7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
        — witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dl\
        rDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==

        """
    /// A witness that is in use.
    private static let remora =
        "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2"
    private static let log = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"

    private let text = Bytes("log\n1\n\(Base64.encode(Bytes(repeating: 1, count: 32)))\n".utf8)

    private static func key(_ byte: UInt8, _ name: String = "w") throws -> WitnessSigningKey {
        WitnessSigningKey(name: try NoteKeyName(name), privateKey: try testKey(byte))
    }

    @Test func `the specification's example names its key and its time`() throws {
        let note = try SignedNote(Bytes(Self.example.utf8))
        let line = note.signatures[1]
        #expect(line.keyID == 0x8d66_cf3f)
        let cosignature = try #require(Cosignature(line.signature))
        #expect(cosignature.seconds == 1_679_315_147)
        #expect(cosignature.bytes == line.signature)
        #expect(
            Cosignature.message(note.text, cosignature.seconds)
                == Bytes("cosignature/v1\ntime 1679315147\n".utf8) + note.text)
    }

    @Test func `a witness's key has its own type, which a log's key lacks`() throws {
        #expect(try WitnessKey(Self.remora).text == Self.remora)
        #expect(try WitnessKey(Self.remora).nameText == "remora.n621.de")
        #expect(throws: NoteError.otherKeyType(found: 1, expected: 4)) {
            try WitnessKey(Self.log)
        }
        #expect(throws: NoteError.otherKeyType(found: 4, expected: 1)) {
            try NoteVerifierKey(Self.remora)
        }
        #expect(throws: NoteError.malformedKey) {
            try WitnessKey(Self.remora.replacing("da77ade7", with: "da77ade8"))
        }
    }

    @Test func `a cosignature is of its text, time and key alone`() throws {
        let signer = try Self.key(1)
        let made = signer.cosign(text, at: 7)
        #expect(signer.key.verifies(made, of: text))
        #expect(!signer.key.verifies(made, of: text + [0x0a]))
        #expect(!(try Self.key(2).key.verifies(made, of: text)))
        for index in made.bytes.indices {
            var changed = made.bytes
            changed[index] ^= 1
            let other = try #require(Cosignature(changed))
            #expect(!signer.key.verifies(other, of: text))
        }
        #expect(Cosignature(made.bytes + [0]) == nil)
        #expect(Cosignature(Bytes(made.bytes.dropLast())) == nil)
        #expect(Cosignature([0xff] + made.bytes.dropFirst()) == nil)
    }

    @Test func `the earliest cosignature counts, and a wrong one of a known key is refused`()
        throws
    {
        let signer = try Self.key(1)
        let other = try Self.key(2)
        let (early, late) = (signer.cosign(text, at: 7), signer.cosign(text, at: 9))
        let key = signer.key
        let lines = [late, early].map { key.signature($0) }
        #expect(try signer.key.cosignature(of: text, among: lines) == early)
        #expect(try other.key.cosignature(of: text, among: lines) == nil)
        // Another key of the same name is not this one, and its line is passed over.
        let namesake = other.key.signature(other.cosign(text, at: 1))
        #expect(try signer.key.cosignature(of: text, among: [namesake]) == nil)
        #expect(throws: NoteError.wrongSignature(keyID: signer.key.id)) {
            try signer.key.cosignature(of: text + [0x0a], among: lines)
        }
    }

    @Test func `a request to a witness is read as it was written`() throws {
        let note = try SignedNote(Bytes(Self.example.utf8))
        let hashes = [TreeHash(leaf: Bytes([1]).span), TreeHash(leaf: Bytes([2]).span)]
        for proof in [[], hashes] {
            let request = AddCheckpoint(
                oldSize: 5, proof: ConsistencyProof(hashes: proof), note: note)
            #expect(try AddCheckpoint(request.bytes) == request)
            #expect(request.bytes.starts(with: Bytes("old 5\n".utf8)))
        }
    }

    @Test(arguments: [
        ("", 1), ("old 05\n\n", 1), ("old\n\n", 1), ("new 5\n\n", 1), ("old 5\nAA==\n\n", 2),
        ("old 5\n", 2), ("old 18446744073709551616\n\n", 1), ("old -1\n\n", 1),
    ])
    func `a malformed request is refused at its line`(head: String, line: Int) {
        #expect(throws: NoteError.malformedRequest(line: line)) {
            try AddCheckpoint(Bytes(head.utf8))
        }
    }

    @Test func `a proof of more than 63 hashes is refused`() {
        let hash = Base64.encode(Bytes(repeating: 1, count: 32)) + "\n"
        let text = "old 5\n" + String(repeating: hash, count: 64) + "\n" + Self.example
        #expect(throws: NoteError.malformedRequest(line: 65)) {
            try AddCheckpoint(Bytes(text.utf8))
        }
    }

    @Test func `an answer has signature lines and nothing else`() throws {
        let line = try Self.key(1).key.signature(try Self.key(1).cosign(text, at: 7))
        #expect(SignedNote.signatures(line.line + line.line)?.count == 2)
        let whole = line.line
        let wrongs: [Bytes] = [[], [0x0a], whole.dropLast(), whole + [0x0a], [0x61] + whole]
        for wrong in wrongs { #expect(SignedNote.signatures(wrong) == nil) }
    }
}

/// A private key whose seed is a byte, 32 times.
func testKey(_ byte: UInt8) throws -> Ed25519PrivateKey {
    let seed = SecretBytes(copying: Bytes(repeating: byte, count: 32))
    guard let key = Ed25519PrivateKey(seed) else { throw NoteError.malformedKey }
    return key
}
