import Daybook
import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem
import Simulator
import Synchronization

/// Attacks by a forger of whole logs: events that never happened, with correct hashes.
struct EventAttacks {
    let scene: AttackScene
    let attacker: AttackScene
    let values: Values

    /// How a log that was made elsewhere comes to the user's keys.
    private enum Way: String, CaseIterable {
        case inPlace = "in place"
        case fresh = "imported into an empty store"
        case live = "imported into the store as it was"
    }

    /// Some of the events of a log, and what follows them.
    private struct Altered: Sendable {
        let what: String
        /// How many events stay as they were.
        let kept: Int
        /// All that come after these.
        let rest: [EventRecord]
    }

    var all: [Attack] {
        let fields = fields
        return Way.allCases.flatMap { way in
            fields.map { attack("event: a field, \(way.rawValue)", $0, way) }
                + endings.map { attack("events: added, \(way.rawValue)", $0, way) }
        }
    }

    private func attack(_ kind: String, _ altered: Altered, _ way: Way) -> Attack {
        Attack(kind: kind, what: altered.what, chain: nil, network: scene.network) {
            computer, scene in
            computer.replaceLog(by: scene.images[altered.kept])
            if way == .inPlace {
                try LogForgery.append(altered.rest, to: computer.log)
            } else {
                try await Self.bring(altered, way, to: computer, scene)
            }
            return try UInt64(computer.records().count)
        }
    }

    /// Exports the altered log from a computer of the attacker's, and imports it.
    private static func bring(
        _ altered: Altered, _ way: Way, to computer: Computer, _ scene: AttackScene
    ) async throws {
        let other = Computer(scene.network, folder: scene.folder)
        other.replaceLog(by: scene.images[altered.kept])
        try LogForgery.append(altered.rest, to: other.log)
        let number = fileNumber.wrappingAdd(1, ordering: .relaxed).newValue
        let path = "\(scene.folder)/altered-\(number).daybook"
        defer { try? Files.remove(path) }
        try await other.open().export(to: path)
        computer.replaceLog(
            by: way == .fresh
                ? try Computer.emptyLog(scene.logID) : scene.images[altered.kept])
        _ = try await computer.open().import(from: path)
    }

    private static let fileNumber = Atomic<Int>(0)

    // MARK: - A field of an event

    private var fields: [Altered] {
        scene.records.indices.flatMap { index -> [Altered] in
            let record = scene.records[index]
            let rest = Array(scene.records[(index + 1)...])
            let theirs = attacker.records.indices.contains(index) ? attacker.records[index] : nil
            let other = theirs?.type == record.type ? theirs.map { Tree($0.data) } : nil
            func altered(_ what: String, _ change: EventRecord.Change) -> Altered {
                Altered(
                    what: "\(index) \(record.type) \(what)", kept: index,
                    rest: [record.with(change)] + rest)
            }
            var list = Tree(record.data).altered(beside: other) {
                values.instead(of: $1, at: "\(record.type).\($0)", $2)
            }.map { altered("\($0.place) \($0.what)", .data($0.value.cbor)) }
            if let other { list.append(altered("as the attacker has it", .data(other.cbor))) }
            list += envelope(record).map { altered($0, $1) }
            return list
        }
    }

    private func envelope(_ record: EventRecord) -> [(String, EventRecord.Change)] {
        var list: [(String, EventRecord.Change)] = [
            ("time +1 h", .time(record.time + 3_600_000_000)),
            ("time a century on", .time(record.time + 3_155_760_000_000_000)),
            ("session 0", .session(0)), ("actor", .actor("somebody")), ("version 2", .version(2)),
            ("type unknown", .type("nothing.known")),
            ("cause", .cause(record.cause == nil ? record.position &- 1 : nil)),
            ("stream", .stream("request/0")),
        ]
        if record.request != nil {
            list.append(("request none", .request(nil)))
            for id in scene.requests where id.position < record.id && id != record.requestID {
                list.append(("request \(id)", .request(id.number)))
            }
        }
        return list
    }

    // MARK: - Events that are added

    /// After all that happened, or before the last session: what an attacker would have happen.
    private var endings: [Altered] {
        var list: [Altered] = []
        for index in scene.intents.indices {
            let intent = scene.intents[index]
            guard let decided = decided(scene.requests[index], intent) else { continue }
            let name = "approved: \(intent.name)"
            list.append(ending(name, decided))
            for (what, payload) in forgeries(of: decided.prepared, on: intent.chain) {
                var events = decided
                events.prepared = payload
                list.append(ending("\(name), \(what)", events))
                events.signatures = 1
                list.append(ending("\(name), \(what), signed by nobody", events))
            }
        }
        for (index, record) in scene.records.enumerated() where record.type == "wallet.added" {
            list += otherWallets(index, record)
        }
        return list
    }

    /// The outcomes of an approval.
    private struct Decided {
        let request: RequestID
        let decision: CBOR
        var prepared: CBOR
        let outcomes: [Outcome]
        var signatures = 0
    }

    private func decided(_ id: RequestID, _ intent: Intent) -> Decided? {
        let tables = MemoryTables()
        tables.image = scene.moment.derived
        let state = State(tables.rows("state"))
        guard let row = state.request(id), let request = row.request,
            let wallet = state.candidates(for: request).first?.id
        else { return nil }
        let prompt = state.prompt(
            for: request, id: id, wallet: wallet, amount: intent.typed, repeats: row.repeats)
        let decision = DecisionMade(
            decision: .approve, prompt: prompt.digest, wallet: wallet, amount: intent.typed,
            unlocked: true)
        let input = Event(
            position: Position(UInt64(scene.records.count)),
            time: scene.records.last?.time ?? 0, session: scene.records.last?.sessionID ?? 0,
            request: id,
            payload: .decisionMade(decision))
        let outcomes = StoreParts.decide(state, input) ?? []
        for case .transactionPrepared(let data) in outcomes.map(\.payload) {
            return Decided(
                request: id, decision: EncodedCBOR(decision.encoded(), at: 0).value,
                prepared: EncodedCBOR(data.encoded(), at: 0).value, outcomes: outcomes)
        }
        return nil
    }

    private func ending(_ what: String, _ decided: Decided) -> Altered {
        guard let last = scene.records.last(where: { $0.requestID == decided.request }) else {
            return Altered(what: what, kept: scene.records.count, rest: [])
        }
        var position = UInt64(scene.records.count)
        func record(_ type: String, _ data: CBOR, cause: UInt64?, actor: String) -> EventRecord {
            defer { position += 1 }
            return EventRecord(
                logID: last.logID, position: position, stream: "request/\(decided.request)",
                revision: 0, type: type, version: 1, time: scene.records.last?.time ?? 0,
                session: last.session, request: decided.request.number, cause: cause, actor: actor,
                data: data.encoded())
        }
        let cause = position
        var records = [
            record(DecisionMade.type, decided.decision, cause: nil, actor: "attacks"),
            record(TransactionPrepared.type, decided.prepared, cause: cause, actor: "daybook"),
        ]
        if decided.signatures > 0 {
            let count = decided.prepared["inputs"]?.arrayValue?.count ?? 1
            let nobodys = CBOR.bytes(Bytes(repeating: 1, count: 64))
            let signatures = Array(repeating: nobodys, count: count)
            records.append(
                record(
                    SignatureMade.type, .record(["signatures": .array(signatures)]), cause: nil,
                    actor: "keystore"))
        }
        return Altered(what: what, kept: scene.records.count, rest: records)
    }

    /// The prepared transaction, altered in the attacker's favour, with matching digests.
    private func forgeries(of prepared: CBOR, on chain: Chain) -> [(String, CBOR)] {
        guard let bytes = prepared["bytes"]?.bytesValue else { return [] }
        if chain == .icon {
            let text = String(decoding: bytes, as: UTF8.self)
            let other = text.replacing(OpenedLinks.payee, with: attacker.owner.icon.text)
            return [("to the attacker", resigned(prepared, Bytes(other.utf8), { _, _ in
                SHA3_256.hash(Bytes(other.utf8))
            }))]
        }
        guard let transaction = try? UTXOTransaction.parse(bytes),
            let theirs = attacker.owner.scripts[chain]?.keys.sorted(by: ByteOrder.precedes).first
        else { return [] }
        let own = scene.owner.scripts[chain] ?? [:]
        func altered(_ body: (inout UTXOTransaction) -> Void) -> CBOR {
            var transaction = transaction
            body(&transaction)
            return resigned(prepared, transaction.serialized()) { index, key in
                transaction.signatureDigest(
                    input: index, scriptCode: Script.p2pkh(Hash160.hash(key)).bytes)
            }
        }
        return [
            ("to the attacker", altered { transaction in
                for index in transaction.outputs.indices
                where own[transaction.outputs[index].script] == nil {
                    transaction.outputs[index].script = theirs
                }
            }),
            ("its change to the attacker", altered { transaction in
                for index in transaction.outputs.indices
                where own[transaction.outputs[index].script] != nil {
                    transaction.outputs[index].script = theirs
                }
            }),
            ("its change to the miner", altered { transaction in
                transaction.outputs.removeAll { own[$0.script] != nil }
            }),
            ("all of it to the attacker", altered { transaction in
                let sum = transaction.outputs.reduce(UInt64(0)) { $0 + $1.amount }
                transaction.outputs = [.init(amount: sum, script: theirs)]
            }),
        ]
    }

    private func resigned(
        _ prepared: CBOR, _ bytes: Bytes, _ digest: (Int, Bytes) -> Bytes
    ) -> CBOR {
        let inputs = (prepared["inputs"]?.arrayValue ?? []).enumerated().map { index, input in
            input.replacing(
                "digest", by: .bytes(digest(index, input["publicKey"]?.bytesValue ?? [])))
        }
        return prepared.replacing("bytes", by: .bytes(bytes))
            .replacing("inputs", by: .array(inputs))
    }

    /// The attacker's keys in a wallet of the user's name, in its place and as one more.
    private func otherWallets(_ index: Int, _ record: EventRecord) -> [Altered] {
        guard attacker.records.indices.contains(index) else { return [] }
        let theirs = attacker.records[index].data
        let fingerprint = record.data["fingerprint"] ?? .null
        var list: [Altered] = []
        for (what, data) in [
            ("under the user's fingerprint", theirs.replacing("fingerprint", by: fingerprint)),
            ("under his own", theirs),
            ("to watch only", theirs.adding("watchOnly", .bool(true))),
            (
                "to watch only under the user's fingerprint",
                theirs.replacing("fingerprint", by: fingerprint).adding("watchOnly", .bool(true))
            ),
        ] {
            list.append(
                Altered(
                    what: "\(index) the attacker's wallet \(what)", kept: index,
                    rest: [record.with(.data(data))] + scene.records[(index + 1)...]))
            let position = UInt64(scene.records.count)
            let added = EventRecord(
                logID: record.logID, position: position, stream: "wallet/\(position)",
                revision: 0, type: record.type, version: 1,
                time: scene.records.last?.time ?? 0, session: scene.records.last?.session ?? 0,
                request: nil, cause: nil, actor: record.actor,
                data: data.encoded())
            list.append(
                Altered(
                    what: "\(index) one more wallet, the attacker's, \(what)",
                    kept: scene.records.count, rest: [added]))
        }
        return list
    }
}

extension CBOR {
    /// The map with one more field.
    func adding(_ name: String, _ value: CBOR) -> CBOR {
        guard case .map(let entries) = self else { return self }
        return .map(entries + [Entry(key: .text(name), value: value)])
    }

    /// The map with another value in one field.
    func replacing(_ name: String, by value: CBOR) -> CBOR {
        guard case .map(let entries) = self else { return self }
        return .map(
            entries.map { $0.key == .text(name) ? Entry(key: $0.key, value: value) : $0 })
    }
}
