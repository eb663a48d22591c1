internal import Daybook
internal import DaybookCrypto
internal import DaybookEncoding
internal import DaybookLMDB
internal import DaybookMigrations
internal import DaybookSigner
internal import DaybookSystem
internal import EventStores
internal import TestSupport

/// A folder that stands for a disk.
struct DiskFolder {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    var store: String { path + "/store" }
    var log: String { store + "/log" }
    var backup: String { path + "/backup" }
    var export: String { path + "/log.daybook" }
    var archive: String { path + "/archive" }

    static let passphrase = "correct horse"
    static let parameters = Scrypt.Parameters.cheap

    func open() throws -> Store {
        var options = StoreOptions()
        options.scrypt = Self.parameters
        return try Store(opening: store, frontEnd: "crash-driver", options: options)
    }

    /// Migrates the log as a later program may, or goes on with that, and brings it back.
    func endMigration() throws {
        let environment = try Environment(log)
        try Migrations.migrate(environment, by: NextLayout.migrations())
        try NextLayout.undo(environment)
    }

    /// Tells the recorder what is promised from now on, whatever happens to the power.
    func promise(_ text: String) throws {
        try StandardStreams.write("promise \(text)\n", to: .output)
    }

    /// Promises every event that the log has now.
    func promiseEvents(_ store: Store) async throws {
        try promise("events \(await count(store))")
    }

    /// How many events a store has.
    func count(_ store: Store) async throws -> UInt64 {
        var count: UInt64 = 0
        while true {
            let events = try await store.events(from: Position(count))
            if events.isEmpty { return count }
            count += UInt64(events.count)
        }
    }

    /// The nodes that are set, each with whether a login for it is, as one word.
    func nodes() throws -> String {
        func entries(_ name: String) throws -> [JSON] {
            let path = "\(store)/\(name)"
            guard try Files.exists(path) else { return [] }
            return try JSON.parse(try Files.read(path, limit: 1 << 16))["nodes"]?.arrayValue ?? []
        }
        let logins = try entries("credentials.json").compactMap { $0["url"]?.stringValue }
        return try entries("settings.json").compactMap { $0["url"]?.stringValue }
            .map { logins.contains($0) ? "\($0)+login" : $0 }.joined(separator: ",")
    }
}

extension Passphrase {
    init(_ text: String) {
        var bytes = Array(text.utf8)
        self.init(wiping: &bytes)
    }
}

extension Store {
    /// Adds a wallet of the well-known test words, or of key 1 on ICON.
    @discardableResult
    func addTestWallet(_ chain: ChainName) async throws -> WalletID {
        let words = Array(repeating: "abandon", count: 11) + ["about"]
        let source: WalletSource =
            chain == .icon
            ? .hexKey(Passphrase(String(repeating: "0", count: 63) + "1"))
            : .mnemonic(Passphrase(words.joined(separator: " ")))
        return try await addWallet(
            source, chain: chain, sealedBy: Passphrase(DiskFolder.passphrase)).wallet.id
    }

    /// Takes a link from its reception to its callback, as far as it goes.
    func handle(_ link: String, key: String, approving: Bool = true) async throws {
        var request = try await receive(link, key: key)
        if request.status == .pending {
            if approving {
                request = try await approve(
                    request.id, shown: try prompt(for: request.id),
                    unlockedBy: Passphrase(DiskFolder.passphrase))
            } else {
                request = try await reject(request.id)
            }
        }
        if request.callback != nil { _ = try await delivered(request.id) }
    }
}

/// Links that the workloads handle.
enum Link {
    static let pay = "dashwallet://pay=XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa&amount=1.5&sender=shop"
    static let address = "dashwallet://request=address&sender=shop"
    static let malformed = "dashwallet://pay=nobody&amount=x&sender=shop"
    static let bind = "iconex://?data="
        + Base64.encode(Bytes(#"{"id":1,"method":"bind"}"#.utf8)) + "&caller=shop://"
}
