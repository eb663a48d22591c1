import DaybookEncoding
import Testing

@testable import DaybookLog

/// The checkpoints that a witness cosigns: the statuses of https://c2sp.org/tlog-witness.
struct WitnessRulesTests {
    /// Heads of a log, and of another one with the same name.
    private struct Logs {
        let sign: (TreeHead) -> SignedNote
        let rules: WitnessRules
        var leaves: [Bytes] = (0..<9).map { [UInt8($0)] }

        init() throws {
            let key = NoteSigningKey(name: try NoteKeyName("log"), privateKey: try testKey(1))
            rules = WitnessRules(logs: [key.verifierKey])
            sign = { key.sign($0) }
        }

        func head(_ size: Int, forkedAt place: Int? = nil) -> TreeHead {
            var tree = TreeFold()
            for (index, leaf) in leaves.prefix(size).enumerated() {
                tree.add(leaf: index == place ? [0xff] : leaf)
            }
            return TreeHead(size: tree.size, root: tree.root())
        }

        func request(_ head: TreeHead, old: UInt64, proof: [TreeHash] = []) -> AddCheckpoint {
            AddCheckpoint(
                oldSize: old, proof: ConsistencyProof(hashes: proof), note: sign(head))
        }

        func answer(
            _ request: AddCheckpoint, after last: TreeHead? = nil
        ) -> WitnessRules.Refusal? {
            do throws(WitnessRules.Refusal) {
                try rules.check(request, try rules.checkpoint(of: request), after: last)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test func `a first checkpoint needs no proof, and the same one may come again`() throws {
        let logs = try Logs()
        let head = logs.head(8)
        #expect(logs.answer(logs.request(head, old: 0)) == nil)
        #expect(logs.answer(logs.request(head, old: 8), after: head) == nil)
        #expect(logs.answer(logs.request(logs.head(0), old: 0)) == nil)
    }

    @Test func `a checkpoint that continues the last one is cosigned with its proof alone`()
        throws
    {
        let logs = try Logs()
        // The tree of four is a node of that of eight: the proof is its sibling.
        var right = TreeFold()
        for leaf in logs.leaves[4..<8] { right.add(leaf: leaf) }
        let (old, new) = (logs.head(4), logs.head(8))
        let proof = [right.root()]
        #expect(logs.answer(logs.request(new, old: 4, proof: proof), after: old) == nil)
        #expect(logs.answer(logs.request(new, old: 4), after: old) == .notProven(size: 4))
        let fork = logs.head(8, forkedAt: 2)
        #expect(
            logs.answer(logs.request(fork, old: 4, proof: proof), after: old)
                == .notProven(size: 4))
    }

    @Test func `a refusal has the status of the specification`() throws {
        let logs = try Logs()
        let (four, eight) = (logs.head(4), logs.head(8))
        #expect(logs.answer(logs.request(eight, old: 0), after: four) == .otherSize(4))
        #expect(WitnessRules.Refusal.otherSize(4).status == 409)
        // Going back is no continuation either.
        #expect(logs.answer(logs.request(four, old: 4), after: eight) == .otherSize(8))
        #expect(logs.answer(logs.request(four, old: 8), after: eight)?.status == 400)
        let fork = logs.head(8, forkedAt: 7)
        #expect(logs.answer(logs.request(fork, old: 8), after: eight) == .fork(size: 8))
        #expect(WitnessRules.Refusal.fork(size: 8).status == 422)
        let proof = [TreeHash(leaf: Bytes([1]).span)]
        #expect(logs.answer(logs.request(eight, old: 0, proof: proof))?.status == 422)
    }

    @Test func `only a log that the witness was told of, with its key, is cosigned`() throws {
        let logs = try Logs()
        let impostor = NoteSigningKey(name: try NoteKeyName("log"), privateKey: try testKey(2))
        let forged = AddCheckpoint(
            oldSize: 0, proof: ConsistencyProof(hashes: []), note: impostor.sign(logs.head(4)))
        #expect(logs.answer(forged)?.status == 403)
        let stranger = NoteSigningKey(name: try NoteKeyName("other"), privateKey: try testKey(3))
        let unknown = AddCheckpoint(
            oldSize: 0, proof: ConsistencyProof(hashes: []), note: stranger.sign(logs.head(4)))
        #expect(logs.answer(unknown)?.status == 404)
        let wrong = SignedNote(
            text: logs.sign(logs.head(5)).text,
            signatures: logs.sign(logs.head(4)).signatures)
        let request = AddCheckpoint(
            oldSize: 0, proof: ConsistencyProof(hashes: []), note: wrong)
        #expect(logs.answer(request)?.status == 403)
    }
}
