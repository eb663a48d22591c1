package import DaybookDomain
package import DaybookEncoding
package import DaybookLog

extension Replayer {
    /// Adds all that the replayer needs to go on to a cache that follows an earlier one.
    ///
    /// `tree` is over all events so far. The replayer must not have finished.
    package mutating func carry(
        _ tree: TreeFold, after earlier: AuditCache?, in cache: inout AuditCacheWriter
    ) {
        cache.add(.carried, [], CarriedReplay(self, tree).encoded())
        for (index, divergence) in divergences.enumerated() {
            cache.add(.found, BigEndian.bytes(UInt64(index)), divergence.encoded())
        }
        cache.add(.heads, streams.saved())
        cache.add(.state, state.rows)
        var users = OverlayRows(earlier?.rows(.users) ?? MemoryRows())
        for (session, name) in frontEnds {
            users.set(BigEndian.bytes(session.number), CBOR.text(name).encoded())
        }
        cache.add(.users, users)
    }

    /// A replayer that goes on where an audit ended, above the rows of its cache; and the tree.
    ///
    /// Throws if the cache was not made by `carry`.
    package static func continued(
        _ cache: AuditCache, rows: any Rows, decide: @escaping (State, Event) -> [Outcome]?
    ) throws -> (Replayer, TreeFold) {
        let carried = try CarriedReplay(cache.rows(.carried).value([]) ?? [], path: "carried")
        guard let tree = carried.tree else {
            throw FieldError(field: "carried", expected: "the hashes of a tree")
        }
        let state = State(cache.rows(.state)).keeping(in: rows)
        if let damage = carried.damage?.error { state.note(damage: damage) }
        var replayer = Replayer(
            state,
            after: Start(
                count: carried.next, time: carried.time,
                streams: StreamHeads(OverlayRows(cache.rows(.heads))),
                frontEnd: { session in
                    let found = cache.rows(.users).value(BigEndian.bytes(session.number))
                    return found.flatMap { (try? CBOR.decode($0))?.textValue }
                }),
            decide: decide)
        replayer.inputs = Int(clamping: carried.inputs)
        replayer.outcomes = Int(clamping: carried.outcomes)
        replayer.notChecked = carried.notChecked
        replayer.unknownInput = carried.unknownInput
        replayer.unjudgedInput = carried.unjudgedInput
        replayer.unjudged = UnjudgedSessions(carried.unjudged)
        replayer.keys = CheckpointKeys(carried.keys)
        replayer.expected = try carried.expected.map {
            let event = try Self.event($0)
            return Outcome(event.payload, request: event.request)
        }
        replayer.cause = try carried.cause.map { try Self.event($0) }
        var failure: FieldError?
        cache.rows(.found).walk { _, value in
            do throws(FieldError) {
                replayer.divergences.append(try Divergence(value, path: "divergence"))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return (replayer, tree)
    }

    /// The event in a record that `CarriedReplay` has written.
    fileprivate static func event(_ bytes: Bytes) throws -> Event {
        guard let event = try EventRecord.decode(bytes).event() else {
            throw FieldError(field: "carried", expected: "an event of a known type")
        }
        return event
    }
}

/// The values that a replayer needs to go on, apart from lists and rows.
private struct CarriedReplay: Recorded {
    let keys: [String]
    /// The position of the next record, which an altered one may have moved.
    let next: UInt64
    let time: UInt64
    let cause: Bytes?
    let damage: CarriedDamage?
    let events: UInt64
    let inputs: UInt64
    let expected: [Bytes]
    let frontier: Bytes
    let outcomes: UInt64
    let unjudged: [UnjudgedSession]
    let notChecked: UInt64
    let unknownInput: UInt64?
    let unjudgedInput: UInt64?

    init(_ replayer: Replayer, _ tree: TreeFold) {
        keys = replayer.keys.texts
        time = replayer.time
        damage = replayer.state.damage.map { CarriedDamage($0) }
        (events, next) = (tree.size, replayer.events)
        inputs = UInt64(replayer.inputs)
        outcomes = UInt64(replayer.outcomes)
        notChecked = replayer.notChecked
        unknownInput = replayer.unknownInput
        unjudgedInput = replayer.unjudgedInput
        unjudged = replayer.unjudged.all
        frontier = tree.frontier.flatMap(\.bytes)
        // An input whose outcomes have all come has nothing more to say.
        let open = replayer.expected.isEmpty ? nil : replayer.cause
        cause = open.map { cause in
            let draft = EventDraft(
                cause.payload, position: cause.position, time: cause.time, session: cause.session,
                request: cause.request, actor: "carried")
            return Self.record(draft, at: cause.position.number)
        }
        expected = open.map { cause in
            replayer.expected.map { outcome in
                let place = cause.position.number + 1
                return Self.record(
                    EventDraft(outcome, of: cause, position: Position(place)), at: place)
            }
        } ?? []
    }

    /// A draft as a record, of which only the event counts.
    private static func record(_ draft: EventDraft, at position: UInt64) -> Bytes {
        EventRecord(
            draft, at: position, revision: 0, logID: Bytes(repeating: 0, count: LogLimits.idBytes)
        ).bytes
    }

    /// The tree over the events.
    var tree: TreeFold? { TreeFold(size: events, frontier: frontier) }

    init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        keys = try coder.values("keys", value?.keys)
        next = try coder.field("next", value?.next)
        time = try coder.field("time", value?.time)
        cause = try coder.optional("cause", value?.cause)
        damage = try coder.optionalMap("damage", value?.damage)
        events = try coder.field("events", value?.events)
        inputs = try coder.field("inputs", value?.inputs)
        expected = try coder.values("expected", value?.expected)
        frontier = try coder.field("frontier", value?.frontier)
        outcomes = try coder.field("outcomes", value?.outcomes)
        unjudged = try coder.list("unjudged", value?.unjudged)
        notChecked = try coder.field("notChecked", value?.notChecked)
        unknownInput = try coder.optional("unknownInput", value?.unknownInput)
        unjudgedInput = try coder.optional("unjudgedInput", value?.unjudgedInput)
    }
}

/// The fault of a state that contradicts itself, which no row of it has.
struct CarriedDamage: Recorded {
    private let field: String
    private let expected: String

    init(_ error: FieldError) {
        (field, expected) = (error.field, error.expected)
    }

    var error: FieldError { FieldError(field: field, expected: expected) }

    init<Coder: FieldCoder>(_ value: Self?, by coder: inout Coder) throws(Coder.Failure) {
        field = try coder.field("field", value?.field)
        expected = try coder.field("expected", value?.expected)
    }
}

extension Divergence: Recorded {
    /// Reads or writes a divergence in an audit's cache.
    package init<Coder: FieldCoder>(
        _ value: Self?, by coder: inout Coder
    ) throws(Coder.Failure) {
        let field = try coder.field("field", value?.field)
        let position = try coder.field("position", value?.position)
        let produced = try coder.field("produced", value?.produced)
        let recorded = try coder.field("recorded", value?.recorded)
        self.init(position: position, field: field, recorded: recorded, produced: produced)
    }
}

extension TreeFold {
    /// The fold of so many leaves, from the bytes of its frontier; nil for other lengths.
    init?(size: UInt64, frontier: Bytes) {
        let length = TreeHash.length
        guard frontier.count % length == 0 else { return nil }
        self.init(
            size: size,
            frontier: stride(from: 0, to: frontier.count, by: length).compactMap {
                TreeHash(Bytes(frontier[$0..<($0 + length)]))
            })
    }
}
