import Daybook
import DaybookEncoding
import DaybookSystem
import Foundation
import Testing
import TestSupport

/// A store with a Dash wallet that has coins, whose page another process serves.
///
/// Drivers of a browser block Swift's few threads, which a server in this process would need.
final class PageScene: Sendable {
    static let passphrase = "correct horse battery staple"
    static let payee = "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"

    let folder: TemporaryFolder
    let store: Store
    let wallet: Wallet
    let server: PageProgram

    init() async throws {
        folder = try TemporaryFolder()
        let home = folder.path + "/store"
        try Store.create(at: home)
        store = try Store(opening: home, frontEnd: "page-tests")
        let words = String(repeating: "abandon ", count: 11) + "about"
        wallet = try await store.addWallet(
            .mnemonic(Self.secret(words)), chain: .dash, network: .sandbox, label: "my-dash",
            sealedBy: Self.secret(Self.passphrase)).wallet
        _ = try await store.fundFromFaucet(wallet.id, amount: 1_000_000_000)
        server = try PageProgram(home, port: nil)
    }

    static func secret(_ text: String) -> Passphrase {
        var bytes = Array(text.utf8)
        return Passphrase(wiping: &bytes)
    }

    /// The address that the server printed, with its token.
    var address: String { server.address }
    /// The address without the token.
    var origin: String { String(address.prefix { $0 != "#" }.dropLast()) }
    var host: String { String(origin.dropFirst("http://".count)) }
    var port: UInt16 { UInt16(origin.split(separator: ":").last ?? "") ?? 0 }
    var token: String { String(address.drop { $0 != "#" }.dropFirst()) }

    /// Receives a request for a payment; returns its id.
    @discardableResult
    func receive(_ amount: String = "0.25") async throws -> WalletRequest {
        let link = "dashwallet://pay=\(Self.payee)&amount=\(amount)&sender=shop"
        return try await store.receive(link)
    }

    /// Ends the server, and starts another one at the same port.
    func restartServer() throws -> PageProgram {
        server.stop()
        return try PageProgram(store.path, port: port)
    }

    /// Runs a test with a scene, whose server ends with it.
    static func use(_ body: (PageScene) async throws -> Void) async throws {
        try await body(try await PageScene())
    }
}

/// `daybook serve --page` on a store, which ends with this value.
final class PageProgram: Sendable {
    /// The address that the server printed, with its token.
    let address: String
    private let program: RunningProgram

    init(_ home: String, port: UInt16?) throws {
        let words = ["serve", "--page", "--json", "--home", home, "--socket", home + ".socket"]
        program = try RunningProgram(
            ["\(ProgramRun.folder)/daybook"] + words + (port.map { ["--port", "\($0)"] } ?? []),
            errors: .shown)
        let line = try #require(program.output.line(), "the server has ended")
        address = try #require(try JSON.parse(Array(line.utf8))["page"]?.stringValue)
    }

    deinit { stop() }

    /// Its process id.
    var id: Int32 { program.id }

    /// Ends the server as a service manager does, and waits until it has.
    func stop() {
        program.send(SIGTERM)
        _ = program.end()
    }
}
