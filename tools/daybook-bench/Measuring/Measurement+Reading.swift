import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLinks
import DaybookLog
import DaybookReplay
import DaybookSystem
import TestSupport

/// Measurements of reading a log, and of work without a log.
extension Measurement {
    static let links = Measurement(name: "links") { place in
        let links = try Inputs(of: place.store).links.prefix(place.limit)
        var understood = 0
        // More than once over: what is made at the first link, such as the list of words, is made
        // once in a program's life.
        let result = time(links.count * rounds) {
            for _ in 0..<rounds {
                for link in links {
                    if case .request = Links.parse(link) { understood += 1 }
                }
            }
        }
        guard understood > 0 || links.isEmpty else { throw LogWriteError("no link was understood") }
        return result
    }

    private static let rounds = 10

    static let decode = Measurement(name: "decode") { place in
        let events = try Inputs(of: place.store).events.prefix(place.limit)
        return try time(events.count * rounds) {
            for _ in 0..<rounds {
                for event in events { _ = try EventRecord.decode(event) }
            }
        }
    }

    /// Decodes envelope and payload, as a fold does.
    static let read = Measurement(name: "read") { place in
        let events = try Inputs(of: place.store).events.prefix(place.limit)
        return try time(events.count * rounds) {
            for _ in 0..<rounds {
                for event in events { _ = try EventRecord.decodeEvent(event) }
            }
        }
    }

    /// Encodes payload and envelope, as an append does.
    static let encode = Measurement(name: "encode") { place in
        // The texts to encode are decoded first, also where the limit is to show the cost.
        let events = try Inputs(of: place.store).events
        let drafts = try events.map { try PayloadDraft(again: try EventRecord.decode($0)) }
        var length = 0
        let result = time(min(drafts.count, place.limit)) {
            for draft in drafts.prefix(place.limit) {
                let record = EventRecord(
                    draft.made(), at: draft.position, revision: draft.revision, logID: logID)
                length += record.bytes.count
            }
        }
        guard length == events.prefix(place.limit).reduce(0, { $0 + $1.count }) else {
            throw LogWriteError("an event was encoded otherwise than it was written")
        }
        return result
    }

    private static let logID = Bytes(repeating: 7, count: 16)

    static let verify = Measurement(name: "verify") { place in
        let log = try EventLog(readingAt: place.store + "/log")
        let head = try log.read { try $0.head(at: min($0.count, UInt64(place.limit))) }
        return try time(Int(head.size)) {
            var tree = TreeFold()
            try eachPage(of: log, head.size) { snapshot, position in
                let rest = Int(min(UInt64(page), head.size - position))
                for event in try snapshot.bytes(from: position, limit: rest) {
                    tree.add(leaf: event)
                }
            }
            guard tree.root() == head.root else { throw LogWriteError("the root is another") }
        }
    }

    static let fold = Measurement(name: "fold") { place in
        let log = try EventLog(readingAt: place.store + "/log")
        let count = try log.read { min($0.count, UInt64(place.limit)) }
        return try time(Int(count)) {
            var state = State()
            try eachPage(of: log, count) { snapshot, position in
                for bytes in try snapshot.bytes(from: position, limit: page) {
                    let (record, event) = try EventRecord.decodeEvent(bytes)
                    if record.position < count, let event { state.evolve(event) }
                }
            }
        }
    }

    /// One core decides what another has read.
    static let replay = Measurement(name: "replay") { place in
        let log = try EventLog(readingAt: place.store + "/log")
        let count = try log.read { min($0.count, UInt64(place.limit)) }
        let start = Clock.monotonicMicroseconds()
        let decider = Links.decider
        var position: UInt64 = 0
        let replay = try Replay(
            events: count, isWhole: place.limit == .max, decide: { decider.decide($0, $1) }
        ) {
            let rest = Int(min(UInt64(page), count - position))
            if rest == 0 { return nil }
            defer { position += UInt64(rest) }
            return try log.decodedRecords(from: position, limit: rest)
        }
        let result = Result(
            count: Int(count), nanoseconds: (Clock.monotonicMicroseconds() - start) * 1_000)
        guard replay.divergences.isEmpty else { throw LogWriteError("the log diverges") }
        return result
    }

    /// Makes proofs of events from all over the log.
    static let proof = Measurement(name: "proof") { place in
        let log = try EventLog(readingAt: place.store + "/log")
        let count = try log.read { $0.count }
        var random = Seeded(1)
        let positions = (0..<min(place.limit, 1000)).map { _ in random.below(count) }
        return try time(positions.count) {
            for position in positions {
                try log.read { _ = try $0.inclusionProof(of: position) }
            }
        }
    }

    private static let page = 1024

    private static func eachPage(
        of log: EventLog, _ count: UInt64, _ body: (LogSnapshot, UInt64) throws -> Void
    ) throws {
        for position in stride(from: 0, to: count, by: page) {
            try log.read { try body($0, position) }
        }
    }
}

/// Measurements of what others say of a log.
extension Measurement {
    /// Verifying cosignatures of a witness, each of another checkpoint.
    static let cosignatures = Measurement(name: "cosignatures") { _ in
        let seed = SecretBytes(copying: Bytes(repeating: 1, count: Ed25519PrivateKey.length))
        guard let privateKey = Ed25519PrivateKey(seed) else {
            preconditionFailure("any 32 bytes are a seed")
        }
        let signer = WitnessSigningKey(name: try NoteKeyName("witness"), privateKey: privateKey)
        let origin = try NoteKeyName("log")
        var tree = TreeFold()
        var made: [(Bytes, Cosignature)] = []
        for number in 0..<1_000 as Range<UInt64> {
            let head = TreeHead(size: number, root: tree.root())
            let text = Checkpoint(origin: origin, head: head).text
            made.append((text, signer.cosign(text, at: number)))
            tree.add(leaf: Bytes("\(number)".utf8))
        }
        let key = signer.key
        return time(made.count) {
            for (text, cosignature) in made {
                precondition(key.verifies(cosignature, of: text), "it was made just now")
            }
        }
    }
}
