import Daybook
import Foundation

/// Opens a payment link, shows what it asks for, and approves it if the answer is y.
///
///     swift run app STORE WALLET-PASSPHRASE 'dashwallet://pay=…&amount=1.5&sender=shop'
///
/// Where there is no store, one is made, with a wallet on the embedded Dash chain and ten coins
/// that are worth nothing. A real program reads the passphrase from a terminal, without echo.
@main
enum Approve {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 4 else { return print("usage: app STORE PASSPHRASE LINK") }
        do {
            let isNew = !FileManager.default.fileExists(atPath: words[1])
            if isNew { try Store.create(at: words[1]) }
            let store = try Store(opening: words[1], frontEnd: "approve.swift")
            if isNew { try await addWallet(to: store, words[2]) }
            let watching = Task { try await watch(store) }
            try await decide(store, words[2], link: words[3])
            watching.cancel()
        } catch {
            print("\(error.message) (\(error.code))")
        }
    }

    static func passphrase(_ typed: String) -> Passphrase {
        var bytes = Array(typed.utf8)
        return Passphrase(wiping: &bytes)
    }

    static func addWallet(to store: Store, _ typed: String) async throws(DaybookError) {
        let added = try await store.addWallet(
            .new, chain: .dash, sealedBy: passphrase(typed))
        added.withMnemonic { print("write these words down:", String(copying: $0)) }
        _ = try await store.fundFromFaucet(added.wallet.id, amount: 1_000_000_000)
    }

    static func decide(_ store: Store, _ typed: String, link: String) async throws(DaybookError) {
        let request = try await store.receive(link)
        guard let prompt = request.prompt else {
            return print("refused:", request.reason ?? "\(request.status)")
        }
        for line in prompt.lines { print("  \(line.name): \(line.text)") }
        print("approve? [y/N]")
        guard readLine() == "y" else {
            let rejected = try await store.reject(request.id)
            return print("request \(rejected.id) is \(rejected.status)")
        }
        let done = try await store.approve(
            request.id, shown: prompt, unlockedBy: passphrase(typed))
        print("request \(done.id) is \(done.status)")
        if let callback = done.callback {
            print("open \(callback)")
            try await store.delivered(done.id)
        }
    }

    /// Says what changes, whoever changes it: this program, a command, or a server.
    static func watch(_ store: Store) async throws {
        for try await change in store.changes() {
            print("changed:", change.changes.map { "\($0.what)" }.joined(separator: ", "))
        }
    }
}
