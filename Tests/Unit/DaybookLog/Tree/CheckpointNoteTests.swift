import DaybookCrypto
import DaybookEncoding
import Foundation
import Testing
import TestSupport

@testable import DaybookLog

struct CheckpointNoteTests {
    private static let root = "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I="
    private static let empty = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test func `a checkpoint reads and writes as the specification's example`() throws {
        let text = "example.com/behind-the-sofa\n20852163\n\(Self.root)\n"
        let checkpoint = try Checkpoint(text: Bytes(text.utf8))
        #expect(checkpoint.origin == (try NoteKeyName("example.com/behind-the-sofa")))
        #expect(checkpoint.head.size == 20_852_163)
        #expect(Base64.encode(checkpoint.head.root.bytes) == Self.root)
        #expect(checkpoint.extensions == [])
        #expect(checkpoint.text == Bytes(text.utf8))
        let more = text + "one\ntwo\n"
        let extended = try Checkpoint(text: Bytes(more.utf8))
        #expect(extended.extensions == [Bytes("one".utf8), Bytes("two".utf8)])
        #expect(extended.text == Bytes(more.utf8))
    }

    @Test func `any other spelling of a checkpoint is refused at its line`() {
        let root = Self.root
        let cases = [
            ("", 1), ("a\n", 2), ("a\n1\n", 3), ("a\n1\n\(root)", 3), ("\n1\n\(root)\n", 1),
            ("a b\n1\n\(root)\n", 1), ("a\n\n1\n\(root)\n", 2), ("a\n01\n\(root)\n", 2),
            ("a\n+1\n\(root)\n", 2), ("a\n-1\n\(root)\n", 2), ("a\n1 \n\(root)\n", 2),
            ("a\n0x1\n\(root)\n", 2), ("a\n١\n\(root)\n", 2),
            ("a\n18446744073709551616\n\(root)\n", 2), ("a\n1\n\(root.dropLast())\n", 3),
            ("a\n1\n\(root)\n\n", 4), ("a\n1\n\(root)\nb\n\nc\n", 5), ("a\n0\n\(root)\n", 3),
            ("a\n1\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxqw==\n", 3),
            ("a\n1\n\(root.replacing("q2I=", with: "q2J="))\n", 3),
        ]
        for (text, line) in cases {
            #expect(throws: NoteError.malformedCheckpoint(line: line), "\(text)") {
                try Checkpoint(text: Bytes(text.utf8))
            }
        }
        #expect(throws: Never.self) { try Checkpoint(text: Bytes("a\n0\n\(Self.empty)\n".utf8)) }
    }

    @Test func `a checkpoint counts only under the key of its own log`() throws {
        let log = try key(1, name: NoteKeyName.ofLog(Bytes(repeating: 0xab, count: 16)))
        let head = try tree(of: 5).head(at: 5)
        let note = log.sign(head)
        #expect(
            String(decoding: note.text, as: UTF8.self).hasPrefix(
                "daybook/\(String(repeating: "ab", count: 16))\n5\n"))
        let read = try SignedNote(note.bytes)
        #expect(try Checkpoint(read, signedBy: log.verifierKey).head == head)
        let other = try key(2, name: log.verifierKey.name)
        #expect(throws: NoteError.noKnownSignature) {
            try Checkpoint(read, signedBy: other.verifierKey)
        }
        let renamed = try key(1, name: NoteKeyName("elsewhere"))
        let text = note.text
        let foreign = SignedNote(text: text, signatures: [renamed.signature(of: text)])
        #expect(throws: NoteError.otherOrigin) {
            try Checkpoint(foreign, signedBy: renamed.verifierKey)
        }
        let letter = Bytes("no checkpoint\n".utf8)
        let signed = SignedNote(text: letter, signatures: [log.signature(of: letter)])
        #expect(throws: NoteError.malformedCheckpoint(line: 2)) {
            try Checkpoint(signed, signedBy: log.verifierKey)
        }
    }

    @Test func `a proof leads from an event to the checkpoint, with extra data or without`()
        throws
    {
        let log = try key(1, name: NoteKeyName.ofLog([1, 2]))
        for size in [1, 2, 7, 300] as [UInt64] {
            let reader = try tree(of: size)
            let note = log.sign(try reader.head(at: size))
            for index in 0..<size {
                let extra = index % 2 == 0 ? [] : event(index)
                let proof = try LogProof(
                    inclusion: reader.inclusionProof(of: index, at: size), note: note, extra: extra)
                let read = try LogProof(proof.bytes)
                #expect(read == proof)
                #expect(read.bytes == proof.bytes)
                #expect(read.extra == (extra.isEmpty ? nil : extra))
                let checkpoint = try read.checkpoint(
                    proving: event(index), signedBy: log.verifierKey)
                #expect(checkpoint.head.size == size)
                #expect(throws: NoteError.notProven) {
                    try read.checkpoint(proving: event(index + 1), signedBy: log.verifierKey)
                }
            }
        }
    }

    @Test func `every flipped bit and every beginning of a proof is refused`() throws {
        let log = try key(1, name: NoteKeyName.ofLog([1, 2]))
        let reader = try tree(of: 9)
        let bytes = try LogProof(
            inclusion: reader.inclusionProof(of: 4, at: 9), note: log.sign(reader.head(at: 9))
        ).bytes
        for index in bytes.indices {
            for bit in 0..<8 as Range<UInt8> {
                var changed = bytes
                changed[index] ^= 1 << bit
                #expect(throws: NoteError.self, "\(index).\(bit)") {
                    try LogProof(changed).checkpoint(
                        proving: event(4), signedBy: log.verifierKey)
                }
            }
            #expect(throws: NoteError.self) { try LogProof(Bytes(bytes[..<index])) }
        }
    }

    @Test func `any other spelling of a proof is refused at its line`() throws {
        let log = try key(1, name: NoteKeyName.ofLog([1, 2]))
        let reader = try tree(of: 2)
        let note = log.sign(try reader.head(at: 2))
        let proof = try LogProof(inclusion: reader.inclusionProof(of: 1, at: 2), note: note)
        let good = String(decoding: proof.bytes, as: UTF8.self)
        let hash = Base64.encode(leafHash(0).bytes) + "\n"
        let cases: [(String, NoteError)] = [
            ("", .malformedProof(line: 1)), ("c2sp.org/tlog-proof@v1", .malformedProof(line: 1)),
            (good.replacing("@v1", with: "@v2"), .malformedProof(line: 1)),
            ("\n" + good, .malformedProof(line: 1)),
            (good.replacing("index", with: "Index"), .malformedProof(line: 2)),
            (good.replacing("index 1", with: "index 01"), .malformedProof(line: 2)),
            (good.replacing("index 1", with: "index"), .malformedProof(line: 2)),
            (good.replacing("index 1", with: "index -1"), .malformedProof(line: 2)),
            (good.replacing("index", with: "extra \nindex"), .malformedProof(line: 2)),
            (good.replacing("index", with: "extra A\nindex"), .malformedProof(line: 2)),
            (
                good.replacing("index", with: "extra YQ==\nextra YQ==\nindex"),
                .malformedProof(line: 3)
            ),
            (good.replacing("index", with: "index 1\nindex"), .malformedProof(line: 3)),
            (good.replacing(hash, with: "YQ==\n"), .malformedProof(line: 3)),
            (
                good.replacing(hash, with: String(repeating: hash, count: 65)),
                .malformedProof(line: 67)
            ),
            (good.replacing("\n\n", with: "\n"), .malformedProof(line: 4)),
        ]
        for (text, error) in cases {
            #expect(throws: error, "\(text)") { try LogProof(Bytes(text.utf8)) }
        }
        let extra = Bytes(repeating: 1, count: 64 * 1024 + 1)
        #expect(throws: NoteError.tooLong(bytes: extra.count, limit: 64 * 1024)) {
            try LogProof(inclusion: proof.inclusion, note: note, extra: extra)
        }
        let largest = try LogProof(
            inclusion: proof.inclusion, note: note, extra: Bytes(extra.dropLast()))
        #expect(try LogProof(largest.bytes) == largest)
        #expect(throws: NoteError.self) { try LogProof(Bytes(repeating: 0x0a, count: 400_000)) }
    }

    @Test func `another program verifies our proofs and checkpoints`() throws {
        let log = try key(3, name: NoteKeyName.ofLog([7]))
        let reader = try tree(of: 1000)
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "daybook-proof-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let proof = try LogProof(
            inclusion: reader.inclusionProof(of: 777, at: 1000),
            note: log.sign(reader.head(at: 1000)), extra: [1])
        try Data(proof.bytes).write(to: folder.appending(path: "proof"))
        try Data(event(777)).write(to: folder.appending(path: "event"))
        try Data(event(778)).write(to: folder.appending(path: "other"))
        let key = log.verifierKey.text
        #expect(try verify(key, folder, "event") == "daybook/07 1000 777\n")
        #expect(try verify(key, folder, "other") == "")
        let other = try self.key(4, name: log.verifierKey.name).verifierKey.text
        #expect(try verify(other, folder, "event") == "")
    }

    private func verify(_ key: String, _ folder: URL, _ event: String) throws -> String {
        let run = try ProgramRun(
            [
                "python3", Fixture.path("tree/verify-proof.py"), key,
                folder.appending(path: "proof").path, folder.appending(path: event).path,
            ], dropsErrors: true)
        #expect((run.status == 0) != run.output.isEmpty)
        return run.output
    }

    private func key(_ seed: UInt8, name: NoteKeyName) throws -> NoteSigningKey {
        let bytes = Bytes(repeating: seed, count: 32)
        guard let key = Ed25519PrivateKey(SecretBytes(copying: bytes)) else { throw NoKey() }
        return NoteSigningKey(name: name, privateKey: key)
    }
    private struct NoKey: Error {}
}
