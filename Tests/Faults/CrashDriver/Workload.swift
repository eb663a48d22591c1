internal import Daybook
internal import DaybookEncoding
internal import DaybookLMDB
internal import DaybookLog
internal import DaybookMigrations
internal import DaybookSystem
internal import EventStores

/// Something that a store is used for, with all that it writes.
enum Workload: String, CaseIterable {
    case create, append, wallets, sandbox, checkpoint, derive, `import`, backup, nodes, export
    case archive, rebuild, migrate

    /// Lays out what lies on the disk, all of it durable, before the work begins.
    func prepare(_ scene: DiskFolder) async throws {
        try Files.createDirectories(scene.path, mode: 0o700)
        switch self {
        case .create: break
        case .wallets, .nodes: try Store.create(at: scene.store)
        case .append, .checkpoint, .backup, .export: try await fund(scene)
        case .sandbox:
            try Store.create(at: scene.store)
            let store = try scene.open()
            for chain in [ChainName.dash, .icon] { try await store.addTestWallet(chain) }
        case .derive:
            // With the next request the derived tables are brought forward.
            try await fund(scene, events: 510)
        case .archive:
            // Longer than one step of a drop.
            try await fund(scene, events: 1300)
            try Files.createDirectory(scene.archive, mode: 0o700)
        case .rebuild, .migrate: try await fund(scene, events: 60)
        case .import:
            // Longer than one step of an import.
            try await fund(scene)
            do {
                let store = try scene.open()
                let long = Link.malformed + String(repeating: "x", count: 2000)
                try await receive(long, 520, store)
                try await store.export(to: scene.export)
            }
            try Files.removeTree(scene.store)
            try Store.create(at: scene.store)
        }
    }

    /// Works, and says what is promised after each call.
    func run(_ scene: DiskFolder) async throws {
        if self == .create {
            try Store.create(at: scene.store)
            return try scene.promise("created")
        }
        try scene.promise("created")
        switch self {
        case .create: break
        case .append: try await append(scene)
        case .wallets: try await addWallets(scene)
        case .sandbox: try await useSandbox(scene)
        case .checkpoint: try await checkpoint(scene)
        case .derive:
            let store = try scene.open()
            for number in 0..<20 {
                _ = try await store.receive(Link.malformed, key: "\(number)")
                try await scene.promiseEvents(store)
            }
        case .import:
            let store = try scene.open()
            try await store.import(from: scene.export)
            try await scene.promiseEvents(store)
        case .backup: try await backUp(scene)
        case .nodes: try await setNodes(scene)
        case .export: try await export(scene)
        case .archive: try await archive(scene)
        case .rebuild:
            try await scene.promiseEvents(try scene.open())
            try Store.rebuildDerived(at: scene.store)
            let store = try scene.open()
            try await store.handle(Link.bind, key: "bind")
            try await scene.promiseEvents(store)
        case .migrate:
            try await scene.promiseEvents(try scene.open())
            try scene.endMigration()
            let store = try scene.open()
            try await store.handle(Link.bind, key: "bind")
            try await scene.promiseEvents(store)
        }
    }

    /// Makes a store with wallets that have coins, and nobody has open then.
    private func fund(_ scene: DiskFolder, events: UInt64 = 0) async throws {
        try Store.create(at: scene.store)
        let store = try scene.open()
        let dash = try await store.addTestWallet(.dash)
        _ = try await store.fundFromFaucet(dash, amount: 1_000_000_000)
        try await store.addTestWallet(.icon)
        try await store.mine(2)
        var count = try await scene.count(store)
        while count < events {
            // Each of them makes two events.
            try await receive(Link.malformed, max(1, Int(events - count) / 2), store)
            count = try await scene.count(store)
        }
    }

    /// Receives a link many times at once, so that commits are shared.
    private func receive(_ link: String, _ count: Int, _ store: Store) async throws {
        try await withThrowingTaskGroup { group in
            for _ in 0..<count { group.addTask { _ = try await store.receive(link) } }
            try await group.waitForAll()
        }
    }

    private func append(_ scene: DiskFolder) async throws {
        let store = try scene.open()
        try await scene.promiseEvents(store)
        for (number, link) in [Link.pay, Link.bind, Link.malformed, Link.address].enumerated() {
            try await store.handle(link, key: "\(number)", approving: link != Link.address)
            try await scene.promiseEvents(store)
        }
        try await scene.promiseEvents(store)
    }

    private func addWallets(_ scene: DiskFolder) async throws {
        let store = try scene.open()
        for chain in ChainName.allCases {
            let wallet = try await store.addTestWallet(chain)
            try await scene.promiseEvents(store)
            if chain == .axe {
                try await store.removeWallet(wallet)
                try await scene.promiseEvents(store)
            }
        }
    }

    private func useSandbox(_ scene: DiskFolder) async throws {
        let store = try scene.open()
        for wallet in try await store.wallets() {
            let isICON = wallet.chain == .icon
            let amount: MinorAmount = isICON ? 10_000_000_000_000_000_000 : 1_000_000_000
            _ = try await store.fundFromFaucet(wallet.id, amount: amount)
            try await scene.promiseEvents(store)
        }
        try await store.handle(Link.pay, key: "pay")
        try await store.mine(2)
        try await scene.promiseEvents(store)
    }

    private func checkpoint(_ scene: DiskFolder) async throws {
        let store = try scene.open()
        for number in 0..<3 {
            _ = try await store.receive(Link.address, key: "\(number)")
            let note = try await store.checkpoint()
            try scene.promise("events \(note.position.next)")
        }
    }

    private func backUp(_ scene: DiskFolder) async throws {
        _ = try Store.backup(of: scene.store, to: scene.backup)
        try scene.promise("backup")
        let store = try scene.open()
        try await store.handle(Link.bind, key: "bind")
        try await scene.promiseEvents(store)
    }

    private func setNodes(_ scene: DiskFolder) async throws {
        let store = try scene.open()
        try scene.promise("nodes ")
        for (url, user) in [("http://127.0.0.1:1", "a"), ("http://127.0.0.1:2", "b")] {
            try await store.setNode(
                .dash, .testnet, url: url, user: user, password: Passphrase("secret"))
            try scene.promise("nodes \(scene.nodes())")
            try await store.setNode(.icon, .testnet, url: url)
            try scene.promise("nodes \(scene.nodes())")
        }
        try await store.removeNode(.dash, .testnet)
        try scene.promise("nodes \(scene.nodes())")
    }

    private func archive(_ scene: DiskFolder) async throws {
        let store = try scene.open()
        try await scene.promiseEvents(store)
        try await store.archive(to: scene.archive, segmentsOf: 500, keeping: 100)
        try await scene.promiseEvents(store)
        try await store.handle(Link.bind, key: "bind")
        try await store.archive(to: scene.archive, segmentsOf: 500, keeping: 1)
        try await scene.promiseEvents(store)
    }

    private func export(_ scene: DiskFolder) async throws {
        let store = try scene.open()
        try await store.export(to: scene.export)
        try scene.promise("export")
        try await store.handle(Link.bind, key: "bind")
        try await scene.promiseEvents(store)
        try await store.export(to: scene.export, replacing: true)
    }
}
