import Daybook
import DaybookEncoding
import DaybookSystem
import DaybookTesting
import Foundation
import Testing
import TestSupport

/// The pictures of the documents, in both themes and two widths (`tools/dev page-pictures`).
struct PictureTests {
    private static let looks = [(360, false), (360, true), (1400, false), (1400, true)]

    /// Keeps a picture of the whole page, if pictures are made.
    private func draw(_ tab: Tab, _ name: String, _ width: Int, _ isDark: Bool) throws {
        guard let folder = EnvironmentVariables.value("DAYBOOK_DRAW") else { return }
        try tab.draw("\(folder)/\(name)-\(width)-\(isDark ? "dark" : "light").png")
    }

    private func check(_ tab: Tab, _ width: Int) throws {
        #expect(try tab.value("document.documentElement.scrollWidth <= \(width)") == "true")
        #expect(try tab.value(ReportPageTests.faint) == "")
    }

    // MARK: - Prompts

    private static let payee = "hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e"
    private static let payer = "hx0502987e630ea7ebb2bf1d84a65a727109385bcf"
    private static let token = "cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32"

    /// A link of each kind.
    private static let dashLinks = [
        "dashwallet://pay=\(PageScene.payee)&amount=1.5&sender=coffee-shop&message=Two%20cups",
        "dash:\(PageScene.payee)?label=Bakery",
        "dashwallet://request=address&sender=museum",
        "dashwallet://request=masterPublicKey&account=0&sender=accounting",
    ]
    private static let iconLinks = [
        #"{"id":1,"method":"bind"}"#,
        #"{"id":2,"method":"sendICX","params":{"from":"\#(payer)","to":"\#(payee)","#
            + #""value":"0xde0b6b3a7640000"}}"#,
        #"{"id":3,"method":"sendToken","params":{"from":"\#(payer)","to":"\#(payee)","#
            + #""value":"0x64","contractAddress":"\#(token)"}}"#,
        #"{"id":4,"method":"sign","params":{"version":"0x3","from":"\#(payer)","#
            + #""to":"\#(payee)","value":"0x1","stepLimit":"0x186a0","#
            + #""timestamp":"0x563a6cf330136","nid":"0x3","nonce":"0x1"}}"#,
    ].map { json in
        let data = Base64.encode(Array(json.utf8)).replacing("=", with: "%3D")
        return "iconex://?data=\(data)&caller=coffee-shop://"
    }

    /// Receives a request of each kind; they are in three pictures, by name.
    private static func receive(
        _ store: Store
    ) async throws -> [(name: String, ids: [RequestID])] {
        let icon = try await store.addWallet(
            .hexKey(PageScene.secret(String(repeating: "0", count: 63) + "1")), chain: .icon,
            network: .sandbox, label: "my-icon", sealedBy: PageScene.secret(PageScene.passphrase)
        ).wallet
        _ = try await store.fundFromFaucet(icon.id, amount: 9_000_000_000_000_000_000)
        _ = try await store.fundFromFaucet(icon.id, amount: 5_000, token: true)
        try await store.set([
            Label(about: try LabelTarget("sender:coffee-shop"), text: "Corner café")
        ])
        var pictures: [(name: String, ids: [RequestID])] = [
            ("prompts-remedies", try await remedies(of: store))
        ]
        for (name, links) in [("prompts", dashLinks), ("prompts-icon", iconLinks)] {
            var ids: [RequestID] = []
            for link in links {
                let request = try await store.receive(link)
                #expect(request.status == .pending, "\(request.standing)")
                ids.append(request.id)
            }
            pictures.append((name, ids))
        }
        return pictures
    }

    /// Requests to speed up a payment that waits for a block, and to cancel one that no node takes.
    private static func remedies(of store: Store) async throws -> [RequestID] {
        func pay(
            _ amount: String, _ sender: String, _ fault: Store.Fault
        ) async throws -> RequestID {
            try await store.setFault(fault, on: .dash)
            let request = try await store.receive(
                "dashwallet://pay=\(PageScene.payee)&amount=\(amount)&sender=\(sender)")
            _ = try await store.approve(
                request.id, shown: try await store.prompt(for: request.id),
                unlockedBy: PageScene.secret(PageScene.passphrase))
            return request.id
        }
        let dash = try #require(try await store.wallets().first { $0.chain == .dash })
        for _ in 0..<3 { _ = try await store.fundFromFaucet(dash.id, amount: 1_000_000_000) }
        let sent = try await pay("0.4", "bookshop", .withholdLocks)
        let refused = try await pay(
            "2.5", "garage", .refuseNext(code: -26, message: "mempool min fee not met, 226 < 450"))
        return [try await store.bump(sent).id, try await store.cancel(refused).id]
    }

    @Test(arguments: looks)
    func `each kind of prompt fits its width, and can be read`(
        width: Int, isDark: Bool
    ) async throws {
        try await PageScene.use { scene in
            let pictures = try await Self.receive(scene.store)
            let tab = try Tab(Browser(), scene.address, width: width, isDark: isDark)
            for id in pictures.flatMap(\.ids) {
                try tab.wait(for: "document.querySelector('[data-prompt=\"\(id)\"] dt')")
            }
            try check(tab, width)
            // The rest of the page has pictures of its own.
            _ = try tab.value(
                "[...document.querySelectorAll('#content > section')]"
                    + ".forEach(part => { part.hidden = part.id !== 'waiting'; })")
            for (name, ids) in pictures {
                _ = try tab.value(
                    "document.querySelectorAll('article[data-request]').forEach(card => { "
                        + "card.hidden = !\(ids).includes(Number(card.dataset.request)); })")
                try draw(tab, name, width, isDark)
            }
        }
    }

    // MARK: - A statement

    /// The statement of a wallet that was paid and that paid.
    private static func statement() async throws -> [UInt8] {
        let test = try TestStore(frontEnd: "desktop")
        let wallet = try await test.addWallet(.dash, label: "spending")
        for (number, sender) in ["coffee-shop", "bookshop", "museum"].enumerated() {
            test.clock.advance(seconds: 100_000)
            let request = try await test.store.receive(
                "dashwallet://pay=\(PageScene.payee)&amount=0.\(number + 2)5&sender=\(sender)"
                    + "&message=order%20\(number + 17)")
            _ = try await test.approve(request.id)
            try await test.store.mine()
            _ = try await test.store.sync()
        }
        _ = try await test.store.fundFromFaucet(wallet.id, amount: 250_000_000)
        let begin = try #require(try await test.store.events(limit: 1).first?.time)
        let end = Timestamp(microseconds: begin.microseconds + 10 * 86_400 * 1_000_000)
        return try await test.store.statement(from: begin, to: end).content(as: .html)
    }

    @Test(arguments: looks)
    func `a statement fits its width, and can be read`(
        width: Int, isDark: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/statement.html"
        try Data(try await Self.statement()).write(to: URL(filePath: file))
        let tab = try Tab(Browser(), "file://\(file)", width: width, isDark: isDark)
        try tab.wait(for: "document.querySelectorAll('tbody tr').length > 4")
        try check(tab, width)
        try draw(tab, "statement", width, isDark)
        guard width > 1000, !isDark, let folder = EnvironmentVariables.value("DAYBOOK_DRAW") else {
            return
        }
        try tab.call("Emulation.setEmulatedMedia", ["media": .string("print")])
        try tab.call("Emulation.setDeviceMetricsOverride", Tab.paper)
        try tab.draw("\(folder)/statement-print.png")
    }
}
