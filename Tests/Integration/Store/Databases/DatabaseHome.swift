import DaybookCrypto
import DaybookEncoding
import DaybookLMDB
import DaybookSystem
import EventStores
import Foundation
import TestSupport

@testable import Daybook

/// A log in a database, and the folders of the machines that use it.
///
/// All machines have the same embedded chain, as they would have the same network.
final class DatabaseHome: Sendable {
    let address: String
    /// The machines' folders.
    let folder: TemporaryFolder
    private let chain: any Storage

    /// Makes a log in a database, that of all tests unless given; machine 1 writes to it.
    init(in database: String? = nil) throws {
        folder = try TemporaryFolder()
        address = try Store.create(
            at: "\(folder.path)/1",
            inDatabase: database ?? TemporaryPostgres.shared.get().database)
        chain = try SandboxChains.open("\(folder.path)/1/sandbox")
    }

    /// The folder of a machine.
    func path(_ machine: Int) -> String { "\(folder.path)/\(machine)" }

    /// Opens the store on a machine.
    func open(_ machine: Int, probe: Probe? = nil) throws -> Store {
        try Store.attach(to: address, at: path(machine))
        var options = StoreOptions()
        options.probe = probe
        let scrypt = Scrypt.Parameters.cheap
        var parts = StoreParts(in: StoreFolder(path(machine)), sealing: scrypt)
        parts.sandbox = { [chain] in chain }
        return try Store(parts, at: path(machine), frontEnd: "tests", options: options)
    }

    /// Lets a machine write, with the keys of machine 1.
    func takeOver(_ machine: Int) throws {
        try Store.attach(to: address, at: path(machine))
        for name in try Files.list("\(path(1))/keys") {
            try? FileManager.default.copyItem(
                atPath: "\(path(1))/keys/\(name)", toPath: "\(path(machine))/keys/\(name)")
        }
        try Store.takeOver(address, at: path(machine))
    }
}
