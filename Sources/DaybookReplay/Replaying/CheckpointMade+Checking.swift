package import DaybookDomain
package import DaybookEncoding
package import DaybookLog

extension CheckpointMade {
    /// The checkpoint of a log with this state, head and streams.
    package init(
        _ state: State, head: TreeHead, streams: Bytes, key: NoteVerifierKey, note: SignedNote
    ) {
        let digest = StateDigest(state)
        self.init(
            size: head.size, root: head.root.bytes, state: digest.whole,
            projections: digest.projections.map { .init(name: $0.name, digest: $0.digest) },
            streams: streams, key: key.text, note: note.bytes)
    }

    /// The content that a recorded checkpoint should have, with the recorded signature.
    static func found(
        _ state: State, head: TreeHead, streams: Bytes, signedAs recorded: CheckpointMade
    ) -> CheckpointMade {
        let digest = StateDigest(state)
        return CheckpointMade(
            size: head.size, root: head.root.bytes, state: digest.whole,
            projections: digest.projections.map { .init(name: $0.name, digest: $0.digest) },
            streams: streams, key: recorded.key, note: recorded.note)
    }

    /// This checkpoint with the head and streams that it should have, and its own digests of rows.
    func found(head: TreeHead, streams: Bytes) -> CheckpointMade {
        CheckpointMade(
            size: head.size, root: head.root.bytes, state: state, projections: projections,
            streams: streams, key: key, note: note)
    }

    /// Whether this is a checkpoint of a head of the log, signed by the key that it names.
    package func isSigned(of head: TreeHead, ofLog logID: Bytes) -> Bool {
        guard let key = try? NoteVerifierKey(key), key.name == .ofLog(logID),
            let note = try? SignedNote(note),
            let checkpoint = try? Checkpoint(note, signedBy: key)
        else { return false }
        return checkpoint.head == head && size == head.size && root == head.root.bytes
    }

    /// The fields in which this checkpoint differs from the one that replay found.
    func differences(from found: CheckpointMade) -> [Difference.Found] {
        var differences: [Difference.Found] = []
        func compare(_ field: String, _ recorded: String, _ produced: String) {
            if Text.equal(recorded, produced) { return }
            differences.append(
                Difference.Found(field: "data.\(field)", recorded: recorded, produced: produced))
        }
        compare("size", String(size), String(found.size))
        compare("root", Hex.encode(root), Hex.encode(found.root))
        compare("streams", Hex.encode(streams), Hex.encode(found.streams))
        let named = { (projections: [Projection], name: String) in
            projections.first { Text.equal($0.name, name) }.map { Hex.encode($0.digest) } ?? "none"
        }
        for name in Self.names(projections, found.projections) {
            compare(
                "projections.\(Text.escaped(name))", named(projections, name),
                named(found.projections, name))
        }
        compare("state", Hex.encode(state), Hex.encode(found.state))
        return differences
    }

    /// The names of both lists, without repetition.
    private static func names(_ ours: [Projection], _ theirs: [Projection]) -> [String] {
        ours.map(\.name)
            + theirs.map(\.name).filter { name in
                !ours.contains { Text.equal($0.name, name) }
            }
    }
}
