internal import Daybook
internal import DaybookCrypto
internal import DaybookDomain
internal import DaybookEncoding
internal import DaybookLinks
internal import DaybookLMDB
internal import DaybookLog
internal import DaybookReplay
internal import DaybookSigner
internal import DaybookSystem

/// The promises made before the power was cut, and those that would have been made after.
struct Promises {
    let given: [String]
    let later: [String]

    /// How many events must be there.
    var events: UInt64 {
        given.compactMap { text in
            text.hasPrefix("events ") ? UInt64(text.dropFirst("events ".count)) : nil
        }.last ?? 0
    }

    /// The possible values: the last promised one, or any that was under way.
    func possible(_ kind: String) -> [String] {
        func named(_ promises: [String]) -> [String] {
            promises.filter { $0.hasPrefix(kind + " ") }
                .map { String($0.dropFirst(kind.count + 1)) }
        }
        return named(given).suffix(1) + named(later)
    }
}

/// Opens a disk as it was left by a power cut, and looks whether every promise was kept.
struct StateCheck {
    private let workload: Workload
    /// The root over the first so many events of the whole run.
    private let roots: [String]
    /// How the run ended.
    private let end: DiskFolder

    /// A fault of a state.
    struct Finding: Error, CustomStringConvertible {
        let description: String
        init(_ text: String) { description = text }
    }

    init(_ workload: Workload, end: DiskFolder) throws {
        self.workload = workload
        self.end = end
        roots = try EventLog(readingAt: end.log).read { log in
            try (0...log.count).map { Hex.encode(try log.head(at: $0).root.bytes) }
        }
    }

    func run(_ scene: DiskFolder, _ promises: Promises) async throws {
        try completeCreation(scene, promises)
        if workload == .archive { try findArchive(of: scene) }
        if workload == .migrate { try scene.endMigration() }
        let events = try checkLog(scene.store, atLeast: promises.events)
        try checkReplay(scene)
        try checkFiles(scene, promises)
        try await goOn(scene)
        let after = try Store.verify(at: scene.store)
        guard after.isWhole, after.events > events else {
            throw Finding("going on has left \(after)")
        }
        try checkReplay(scene)
    }

    /// A store that is not there yet was not promised, and can be made.
    private func completeCreation(_ scene: DiskFolder, _ promises: Promises) throws {
        do {
            _ = try EventLog.layout(at: scene.log)
        } catch let error as LogError where error.isAbsence {
            if promises.given.contains("created") { throw Finding("the store is lost: \(error)") }
            try Store.create(at: scene.store)
        }
    }

    /// Lets a log find the archive of its own disk; it names that of the disk where it was written.
    private func findArchive(of scene: DiskFolder) throws {
        try Environment(scene.log).update { view in
            guard let meta = try view.table("meta"),
                let bytes = try view.value(meta, Bytes("archived".utf8)),
                let found = ArchivedEvents(encoded: bytes)
            else { return }
            guard found.folder == end.archive else { throw Finding("\(found) is archived") }
            let here = ArchivedEvents(count: found.count, root: found.root, folder: scene.archive)
            try view.put(meta, Bytes("archived".utf8), here.encoded)
        }
    }

    /// The log is a beginning of the whole run's, byte for byte, and has all that was promised.
    private func checkLog(_ path: String, atLeast promised: UInt64 = 0) throws -> UInt64 {
        let found = try Store.verify(at: path)
        guard found.isWhole else { throw Finding("\(path): \(found.problems)") }
        guard found.events >= promised else {
            throw Finding("\(found.events) events, of \(promised) that were acknowledged")
        }
        guard found.events < UInt64(roots.count), found.root == roots[Int(found.events)] else {
            throw Finding("the first \(found.events) events are not those that were written")
        }
        return found.events
    }

    /// Deciding again gives what was recorded, and every wallet's key is at hand.
    private func checkReplay(_ scene: DiskFolder) throws {
        let log = try EventLog(readingAt: scene.log)
        let decider = Links.decider
        var replayer = Replayer(decide: decider.decide)
        for record in try log.read({ try $0.records(from: 0, limit: .max) }) {
            replayer.feed(record)
        }
        replayer.finish()
        guard replayer.divergences.isEmpty else {
            throw Finding("deciding again gives \(replayer.divergences)")
        }
        let digest = try log.read { StateDigest.of($0.state) }
        guard digest == StateDigest.of(replayer.state) else {
            throw Finding("the rows are not what the events add up to")
        }
        var passphrase = Bytes(DiskFolder.passphrase.utf8)
        let secret = SecretBytes(wiping: &passphrase)
        let keystore = Keystore(folder: scene.store + "/keys", parameters: DiskFolder.parameters)
        // An import brings no keys.
        for wallet in workload == .import ? [] : replayer.state.wallets() {
            _ = try keystore.unlock(name: wallet.row.wallet.fingerprint, passphrase: secret)
        }
    }

    /// A file under its name is whole; one that was promised has its name.
    private func checkFiles(_ scene: DiskFolder, _ promises: Promises) throws {
        for (name, path) in [("backup", scene.backup), ("export", scene.export)] {
            let isThere = try Files.exists(path)
            if promises.given.contains(name), !isThere { throw Finding("the \(name) is lost") }
        }
        if try Files.exists(scene.backup) { _ = try checkLog(scene.backup) }
        let possible = promises.possible("nodes")
        if let last = possible.first {
            // While a node is replaced by another it may be without the login that it had.
            let found = try scene.nodes()
            let isUnderWay = possible.contains { node in
                node == found || node.replacing("+login", with: "") == found
            }
            guard promises.later.isEmpty ? found == last : isUnderWay else {
                throw Finding("the nodes are \(found), not one of \(possible)")
            }
        }
    }

    /// The next start finishes what can be finished, and appends.
    private func goOn(_ scene: DiskFolder) async throws {
        let store = try scene.open()
        try await store.resume()
        if workload == .wallets {
            for chain in ChainName.allCases {
                do {
                    try await store.addTestWallet(chain)
                } catch let error as DaybookError where error.code == "walletExists" {
                    // It was recorded already.
                }
            }
        }
        if try await !store.wallets().isEmpty { try await store.mine(1) }
        for balance in try await store.balances() where balance.unconfirmed != 0 {
            throw Finding("the chain has forgotten what was sent to it: \(balance)")
        }
        _ = try await store.handle(Link.address, key: "next", approving: false)
        _ = try await store.checkpoint()
        if workload == .archive {
            try await store.archive(to: scene.archive, segmentsOf: 500, keeping: 20)
        }
        if workload == .export, try Files.exists(scene.export) {
            try await importAgain(scene)
        }
    }

    /// An export under its name is whole: it can be imported.
    private func importAgain(_ scene: DiskFolder) async throws {
        let other = DiskFolder(scene.path + "/other")
        try Files.createDirectory(other.path, mode: 0o700)
        try Store.create(at: other.store)
        try await other.open().import(from: scene.export)
        _ = try checkLog(other.store)
    }
}

extension LogError {
    /// Whether there is no log yet, as opposed to one that can't be used.
    fileprivate var isAbsence: Bool {
        switch self {
        case .missing, .halfCreated: true
        default: false
        }
    }
}
