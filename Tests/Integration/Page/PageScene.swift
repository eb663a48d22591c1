import Daybook
import DaybookCalls
import DaybookPage
import DaybookSystem
import Foundation
import Synchronization
import Testing
import TestSupport

/// A served store with a Dash wallet that has coins, and a clock that the test turns.
final class PageScene: Sendable {
    static let passphrase = "correct horse battery staple"
    static let payee = "XiUsEXvLjqhuz1Gunbymtw7JUwtkQXQHaa"

    let folder: TemporaryFolder
    let store: Store
    let wallet: Wallet
    let server: PageServer

    init() async throws {
        folder = try TemporaryFolder()
        let home = folder.path + "/store"
        try Store.create(at: home)
        store = try Store(opening: home, frontEnd: "page-tests")
        let words = String(repeating: "abandon ", count: 11) + "about"
        wallet = try await store.addWallet(
            .mnemonic(Self.secret(words)), chain: .dash, network: .sandbox, label: "my-dash",
            sealedBy: Self.secret(Self.passphrase)).wallet
        _ = try await store.fundFromFaucet(wallet.id, amount: "1000000000")
        server = try PageServer(Front(of: store))
    }

    private static func secret(_ text: String) -> Passphrase {
        var bytes = Array(text.utf8)
        return Passphrase(wiping: &bytes)
    }

    /// The address without the token.
    var origin: String { String(server.address.prefix { $0 != "#" }.dropLast()) }
    var host: String { String(origin.dropFirst("http://".count)) }
    var port: UInt16 { UInt16(origin.split(separator: ":").last ?? "") ?? 0 }
    var token: String { String(server.address.drop { $0 != "#" }.dropFirst()) }

    /// Receives a request for a payment; returns its id.
    @discardableResult
    func receive(_ amount: String = "0.25") async throws -> WalletRequest {
        let link = "dashwallet://pay=\(Self.payee)&amount=\(amount)&sender=shop"
        return try await store.receive(link)
    }

    /// Runs a test with a scene, and stops its server.
    static func use(_ body: (PageScene) async throws -> Void) async throws {
        let scene = try await PageScene()
        do {
            try await body(scene)
        } catch {
            await scene.server.stop()
            throw error
        }
        await scene.server.stop()
    }
}
