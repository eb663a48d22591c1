public import Daybook
import DaybookEncoding
import DaybookLog
import DaybookSystem

/// A recorded session of a store, as a fixture that tests and previews open.
///
/// For example, from a file, and from what a test has just done:
///
///     let session = try SessionFixture(file: "Fixtures/session.daybook")
///     let test = try await TestStore(session)
///     show(try await test.store.pending(), try await test.store.balances())
public struct SessionFixture: Sendable {
    /// The bytes of an export of the whole log.
    public let bytes: [UInt8]

    /// A session from the bytes of a `.daybook` or `.jsonl` export, which are not checked yet.
    public init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// A session from an exported file.
    ///
    /// - Throws: what reading a file throws, such as `permissionDenied`.
    public init(file: String) throws {
        do {
            bytes = try Files.read(file, limit: Self.limit)
        } catch {
            throw DaybookError.from(error)
        }
    }

    /// A session from all events of a log, as `Store.events` returns them.
    ///
    /// - Throws: `storeDamaged` if they are not whole, or not the first ones of one log.
    public init(events: [LogEvent]) throws {
        do {
            var tree = TreeFold()
            for event in events { tree.add(leaf: event.bytes) }
            let logID = try events.first.map { try EventRecord.decode($0.bytes).logID } ?? []
            let output = Monitor<Bytes>([])
            let writer = ExportWriter(.daybook) { piece in output.change { $0 += piece } }
            try writer.write(
                .header(
                    ExportHeader(
                        logID: logID, head: TreeHead(size: tree.size, root: tree.root()),
                        selection: .all)))
            for event in events { try writer.write(.event(event.bytes)) }
            _ = try writer.finish()
            bytes = output.change { $0 }
        } catch {
            throw DaybookError.from(error)
        }
    }

    /// The session that a store has recorded.
    public init(of store: Store) async throws {
        let output = Monitor<[UInt8]>([])
        try await store.export(as: .daybook) { piece in output.change { $0 += piece } }
        bytes = output.change { $0 }
    }

    private static let limit = 1 << 28
}

extension TestStore {
    /// Opens a store that has recorded a session; its clock goes on from the last event.
    ///
    /// The wallets with number 0 of `addWallet` can sign again. The embedded chains are new and do
    /// not have the recorded blocks, so they are silent and all balances stay as recorded, until
    /// the test sets another fault.
    ///
    /// - Throws: what `Store.import` throws.
    public convenience init(_ session: SessionFixture) async throws {
        // An import refuses events of the future.
        try self.init(clock: TestClock(microseconds: .max / 2))
        let keys = store.path + "/keys"
        for (name, bytes) in try await Self.sealedKeys.value {
            try Files.writeAtomically("\(keys)/\(name)", bytes, mode: 0o600)
        }
        let file = store.path + ".session"
        try Files.writeAtomically(file, session.bytes, mode: 0o600)
        let summary = try await store.import(from: file)
        if let last = try await store.events(from: Position(max(summary.events, 1) - 1)).last {
            clock.microseconds = last.time.microseconds
        }
        for chain in ChainName.allCases { try await store.setFault(.silent, on: chain) }
    }

    /// The sealed keys of the wallets with number 0.
    private static let sealedKeys = Task {
        let test = try TestStore()
        for chain in ChainName.allCases { try await test.addWallet(chain, isFunded: false) }
        let folder = test.store.path + "/keys"
        return try Files.list(folder).map { name in
            (name: name, bytes: try Files.read("\(folder)/\(name)", limit: 65_536))
        }
    }

    /// A store with requests in the usual states, for previews and screenshots.
    ///
    /// It has a Dash and an ICON wallet with coins, a completed payment whose callback waits to be
    /// opened, a rejected request, a refused one, and two that wait for the user.
    public static func sample() async throws -> TestStore {
        let test = try TestStore()
        let wallet = try await test.addWallet(.dash, label: "spending")
        try await test.addWallet(.icon)
        let payee = try await test.store.address(of: wallet.id)
        let links = (
            paid: "dashwallet://pay=\(payee)&amount=1.5&sender=shop",
            rejected: "dashwallet://request=masterPublicKey&account=0&sender=library",
            refused: "dashwallet://pay=\(payee)&amount=1&req-unknown=1&sender=shop",
            pending: "dashwallet://pay=\(payee)&amount=2&sender=bakery",
            asked: "dashwallet://request=address&sender=myapp")
        _ = try await test.approve(try await test.store.receive(links.paid).id)
        _ = try await test.store.reject(try await test.store.receive(links.rejected).id)
        for link in [links.refused, links.pending, links.asked] {
            _ = try await test.store.receive(link)
        }
        return test
    }
}
