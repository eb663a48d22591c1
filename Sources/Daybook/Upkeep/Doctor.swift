import DaybookChains
import DaybookCrypto
import DaybookDomain
import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookPostgres
import DaybookReplay
import DaybookSigner
import DaybookSystem

/// Checks a store's surroundings: versions, permissions, keys, settings, disk, and its log's state.
struct Doctor {
    let folder: StoreFolder
    let note: String?
    /// The machine's clock.
    let now: UInt64

    /// The findings, in the order in which a person would check.
    func findings() throws -> [StoreFinding] {
        guard try Files.exists(folder.path) else {
            return [
                StoreFinding(
                    "folder", .problem, "there is nothing at \(folder.path)",
                    advice: "make a store with `init`, or name the right folder")
            ]
        }
        var findings = [libraries]
        findings += try permissions()
        do {
            findings += try log()
        } catch let error as LogError {
            findings.append(StoreFinding("log", .problem, "\(error)", advice: Self.advice(error)))
        }
        findings += try settings()
        findings.append(try disk())
        return findings
    }

    private var libraries: StoreFinding {
        StoreFinding(
            "versions", .ok,
            "engine \(Engine.current), lmdb \(LMDBVersion.text), openssl "
                + "\(LibraryVersions.openSSL), secp256k1 \(LibraryVersions.secp256k1)")
    }

    // MARK: - Permissions

    private func permissions() throws -> [StoreFinding] {
        var exposed: [StoreFinding] = []
        var paths = [folder.path, folder.log, folder.keys, folder.logKey, folder.settings]
        paths += [folder.credentials, folder.log + "/data.mdb"]
        if try Files.exists(folder.keys) {
            paths += try Files.list(folder.keys).map { folder.keys + "/" + $0 }
        }
        for path in paths {
            guard let found = try Files.information(path) else { continue }
            if found.owner != Files.currentUser {
                exposed.append(
                    StoreFinding(
                        "permissions", .problem, "\(path) belongs to another user",
                        advice: "run as its owner, or give it back with chown"))
            } else if found.mode & 0o077 != 0 {
                let isSecret = path != folder.settings
                exposed.append(
                    StoreFinding(
                        "permissions", isSecret ? .problem : .warning,
                        "others than its owner may use \(path)",
                        advice: "chmod \(found.kind == .directory ? "700" : "600") it"))
            }
        }
        return exposed.isEmpty
            ? [StoreFinding("permissions", .ok, "the store is for its owner alone")] : exposed
    }

    // MARK: - The log

    private func log() throws -> [StoreFinding] {
        let place = try folder.logPlace()
        // A log that is open in this process can't be opened again.
        var layout: UInt64?
        if case .folder(let path) = place { layout = try EventLog.layout(at: path) }
        let log = try place.openReading()
        return try log.read { snapshot in
            var findings = [try size(layout, snapshot)]
            let state = snapshot.state
            findings += try keys(state)
            findings += try checkpoint(snapshot)
            findings += clock(snapshot)
            findings += try payments(snapshot)
            findings += chains(state)
            findings += archive(snapshot)
            return findings
        }
    }

    private func size(_ layout: UInt64?, _ log: LogSnapshot) throws -> StoreFinding {
        guard let layout else {
            return StoreFinding("log", .ok, "\(log.count) events in a database")
        }
        let bytes = try Files.information(folder.log + "/data.mdb")?.size ?? 0
        let message = "\(log.count) events in \(bytes) bytes, layout \(layout)"
        let present = FormatNumber.layout.current
        if layout == present { return StoreFinding("log", .ok, message) }
        return StoreFinding(
            "log", .warning, "\(message) where \(present) is written now",
            advice: "run `migrate`; every command that writes does so as well")
    }

    /// Whether the segments of archived events are where they should be; none is read.
    private func archive(_ log: LogSnapshot) -> [StoreFinding] {
        guard let archived = log.archived else { return [] }
        let message = "the first \(archived.count) events are in segments in \(archived.folder)"
        do {
            try archived.checkPresence(ofLog: log.logID)
            return [StoreFinding("archive", .ok, message)]
        } catch {
            return [
                StoreFinding(
                    "archive", .problem, "\(message), but \(error)",
                    advice: "put the folder back, or let a symbolic link lead to it")
            ]
        }
    }

    /// Warns of chains that can't be read, and of what is set aside of the nodes' answers.
    private func chains(_ state: State) -> [StoreFinding] {
        state.outages.map { outage in
            StoreFinding(
                "chains", .warning, outage.sentence,
                advice: "run `node check`, which says what is wrong and what to do")
        } + state.setAside().map { part in
            StoreFinding(
                "chains", .warning,
                "\(part.chain.rawValue) \(part.network.rawValue): \(part.sentence)",
                advice: "all else is recorded, and `sync` reads it again: ask another node, or use"
                    + " a newer version of Daybook")
        }
    }

    /// Warns if the log's last event is later than the machine's clock.
    private func clock(_ log: LogSnapshot) -> [StoreFinding] {
        guard log.lastTime > now, log.lastTime - now > ClockReading.standstill else { return [] }
        let message = "the log's last event is of \(Timestamp.seconds(log.lastTime)), and this "
            + "machine's clock says \(Timestamp.seconds(now))"
        return [
            StoreFinding(
                "clock", .warning, message,
                advice: "set the clock; if it is right, the next command that writes sets the "
                    + "log's time back, by more than 90 days only with `--accept-clock`")
        ]
    }

    /// Compares wallets with sealed keys. A crash can leave a key whose wallet was not recorded.
    private func keys(_ state: State) throws -> [StoreFinding] {
        let keystore = Keystore(folder: folder.keys)
        let names = try keystore.names()
        let wallets = state.wallets()
        var findings = wallets.compactMap { Self.finding($0.id, $0.row.wallet, keystore) }
        let all = state.wallets.rows()
        for name in names where !all.contains(where: { $0.row.wallet.fingerprint == name }) {
            findings.append(
                StoreFinding(
                    "keys", .warning, "keys/\(name).key belongs to no wallet",
                    advice: "add its wallet again with the same passphrase"))
        }
        return findings.isEmpty
            ? [StoreFinding("keys", .ok, "\(wallets.count) wallets, each with its key")]
            : findings
    }

    /// The problem with a wallet's key, unless `permissions` reports it.
    private static func finding(
        _ id: WalletID, _ wallet: WalletAdded, _ keystore: Keystore
    ) -> StoreFinding? {
        let file = "keys/\(wallet.fingerprint).key"
        switch KeyStanding(of: wallet, in: WalletKeys(keystore)) {
        case .agrees, .unreadable(.permission): return nil
        case .unreadable(.missing):
            return StoreFinding(
                "keys", .problem, "wallet \(id) has no sealed key and can't sign",
                advice: "put \(file) back from a backup, or add the wallet again from its words")
        case .unreadable(let error):
            return StoreFinding(
                "keys", .problem, "wallet \(id) can't sign: \(error)",
                advice: "put \(file) back from a backup")
        case .differs:
            return StoreFinding(
                "keys", .problem, "the keys of wallet \(id) are not those in \(file)",
                advice: "someone has changed the store: use no address of this wallet, run "
                    + "`verify`, and restore a backup")
        }
    }

    private func checkpoint(_ log: LogSnapshot) throws -> [StoreFinding] {
        var findings: [StoreFinding] = []
        if let note {
            let trusted = try TrustedCheckpoint.read(
                Bytes(note.utf8), of: log, keyFile: folder.logKey)
            let size = trusted.last?.head.size ?? 0
            do {
                try TrustedCheckpoint.check(trusted, log)
                findings.append(
                    StoreFinding(
                        "checkpoint", .ok,
                        "the store begins with the \(size) events that were signed"))
            } catch let alarm as DaybookError {
                findings.append(
                    StoreFinding(
                        "checkpoint", .problem, "\(alarm)",
                        advice: "do not use this store; compare it with your backups"))
            }
        }
        let last = try log.lastCheckpoint()
        let key: String?
        do {
            key = try folder.logVerifierKey(ofLog: log.logID)?.text
        } catch {
            let error = DaybookError.from(error)
            return findings + [
                StoreFinding(
                    "checkpoint", .problem, "\(error)", advice: "put log.key back from a backup")
            ]
        }
        guard let last else {
            return findings + [
                StoreFinding(
                    "checkpoint", .warning, "the log has no checkpoint",
                    advice: "run `checkpoint` and keep what it prints outside the store")
            ]
        }
        if key == nil || key.map({ !Text.equal($0, last.data.key) }) ?? true {
            let what = key == nil ? "log.key is gone" : "log.key is not the last checkpoint's key"
            findings.append(
                StoreFinding(
                    "checkpoint", .problem, what, advice: "put log.key back from a backup"))
        }
        let since = log.count - last.position.number - 1
        return findings + [
            StoreFinding(
                "checkpoint", .ok, "the last one is event \(last.position), \(since) events ago")
        ]
    }

    // MARK: - Settings and disk

    private func settings() throws -> [StoreFinding] {
        do {
            _ = try folder.readSettings()
            let nodes = NodeSettings(folder: folder)
            let all = try nodes.nodes()
            for node in all { _ = try nodes.access(to: node) }
            return [StoreFinding("settings", .ok, "\(all.count) nodes are set")]
        } catch let error as DaybookError {
            return [
                StoreFinding(
                    "settings", .problem, "\(error)",
                    advice: "fix or remove the file; settings have standard values")
            ]
        }
    }

    private func disk() throws -> StoreFinding {
        let free = try Files.freeBytes(folder.path)
        let used = try Files.information(folder.log + "/data.mdb")?.size ?? 0
        let message = "\(free >> 20) MiB are free"
        if free < Self.minimumFree {
            return StoreFinding(
                "disk", .problem, message, advice: "make room: soon nothing can be written")
        }
        if free < Self.minimumFree * 4 || free < used {
            return StoreFinding(
                "disk", .warning, message, advice: "make room for backups and migrations")
        }
        return StoreFinding("disk", .ok, message)
    }

    /// The amount that a long command may write before anyone notices.
    private static let minimumFree: UInt64 = 64 << 20

    private static func advice(_ error: LogError) -> String {
        switch error {
        case .missing, .halfCreated: "make a store with `init`, or name the right folder"
        case .unknownFormat, .otherLMDB: "use the program that wrote it"
        case .needsMigration: "run `migrate`"
        case .notOwner, .permissionDenied, .readOnlyFileSystem: "run as the store's owner"
        default: "run `verify`, and keep the folder as it is until you have a backup"
        }
    }
}

/// Payments in flight, and payments that were lost after their caller was told that they are paid.
extension Doctor {
    /// The number of payments that are named one by one.
    private static let namedLimit = 20

    func payments(_ log: LogSnapshot) throws -> [StoreFinding] {
        let state = log.state
        let ids = state.inFlight()
        var findings = try ids.prefix(Self.namedLimit).compactMap { id in
            try state.request(id).flatMap { try finding(id, $0, in: state, log) }
        }
        if ids.count > Self.namedLimit {
            findings.append(
                StoreFinding(
                    "payments", .warning,
                    "\(ids.count - Self.namedLimit) more payments are in flight",
                    advice: "see them with daybook pending"))
        }
        findings += lost(state)
        return findings.isEmpty
            ? [StoreFinding("payments", .ok, "none is in flight for want of a node")] : findings
    }

    /// The finding for a payment that no node has, or that can't end by itself.
    private func finding(
        _ id: RequestID, _ row: RequestRow, in state: State, _ log: LogSnapshot
    ) throws -> StoreFinding? {
        let said = state.standing(of: id, row, try log.courseIfNeeded(of: id, row, in: state))
        guard said.status == .signed || said.reason != nil else { return nil }
        return StoreFinding(
            "payments", .warning, "request \(id) \(said.sentence)\(held(by: id, row, state))",
            advice: said.advice)
    }

    private func held(by id: RequestID, _ row: RequestRow, _ state: State) -> String {
        let amounts = state.heldAmounts(by: id, row).map(\.text)
        return amounts.isEmpty ? "" : "; it holds back " + amounts.joined(separator: " and ")
    }

    /// Payments that the network had accepted, and that no block will contain.
    private func lost(_ state: State) -> [StoreFinding] {
        var ids: [RequestID] = []
        var lastLoss: PaymentLoss?
        // One row at a time: a log may have millions of requests.
        state.requests.walk { id, row in
            if let loss = state.loss(of: row) {
                ids = ids.suffix(Self.namedLimit - 1) + [id]
                lastLoss = loss
            }
            return true
        }
        guard let lastLoss else { return [] }
        let named = ids.map { "\($0)" }.joined(separator: ", ")
        return [
            StoreFinding(
                "payments", .warning,
                "not paid after all, although they counted as paid: requests \(named); of the last "
                    + "one \(lastLoss.sentence)",
                advice: ids.last.flatMap { id in
                    state.request(id).flatMap { state.standing(of: id, $0).advice }
                })
        ]
    }
}
