import DaybookEncoding
import Foundation
import TestSupport
import Testing

/// Wallets that are restored from words which another wallet has used.
@Suite struct RestoringTests {
    private static let words =
        "legal winner thank year wave sausage worth useful legal winner thank yellow"
    /// Addresses of these words, computed with another program.
    private enum Address {
        static let first = "XsKxZ3RiW2ok6v2JtVHiQcbqxQvK85nuAf"
        static let secondAccount = "XhBiTYnv94caq3DUa6XnPyr1egsAUs6ZUf"
        /// Of `m/9'/5'/4'/0'/0/0` and `m/9'/5'/4'/0'/1/3`.
        static let mixed = [
            "Xk4826v3JyF2WEgQAHCN19f2qgWURyhh45", "XkzBwgnpUH4kf8CGvgYkxjuzeA3Z1hKN8f",
        ]
        /// Of `m/9'/5'/4'/1'/0/2`.
        static let mixedOnSecondAccount = "XhYbVhZxko9hzWusdmKwjGsFV6PuYLj2ey"
        /// Of `m/44'/5'/0'/0/30`.
        static let farAhead = "XkaMupD6jFojDS8uMgwiN8V7gqn2A7kLTD"
        /// The first one with the passphrase `TREZOR`, and with one that has a normal form.
        static let ofTrezor = "XkWsGJdoQnzzsJQF25BsGgr3cnCLYg1Zpj"
        static let ofLetters = "XiMfdAyAUjHr7YAEfxabYuNvudQ3X7M5Uw"
    }

    private let scene: Scene

    init() throws {
        scene = try Scene()
        try scene.write("legal", Self.words)
        try scene.write("new", "another passphrase\n")
        try scene.write("old-words", Scene.words)
    }

    @Test func `coins on a second account and on CoinJoin's path are found and can be spent`()
        throws
    {
        for address in Address.mixed + [Address.secondAccount] { try pay(address) }
        let added = try restore("--json").object
        #expect(added["address"] == .string(Address.first))
        #expect(
            added["search"]?.text()
                == #"{"gap":20,"accounts":[{"account":0,"used":false,"coinJoin":true},"#
                + #"{"account":1,"used":true,"coinJoin":false},"#
                + #"{"account":2,"used":false,"coinJoin":false}],"coinJoin":true}"#)
        try scene.done("sync")
        #expect(try balance() == "300000000")
        let request = try scene.pending("dash:\(Scene.payee)?amount=2.9")
        try approve(request)
        try scene.done("verify")
        try scene.expectCleanReplay()
    }

    @Test func `mixed coins of an account are found where nothing else of it was used`() throws {
        try pay(Address.mixedOnSecondAccount)
        let added = try restore("--json").object
        #expect(added["search"]?["accounts"]?.arrayValue?.map { $0["coinJoin"] }
            == [.bool(false), .bool(true), .bool(false)])
        try scene.done("sync")
        #expect(try balance() == "100000000")
        let request = try scene.pending("dash:\(Scene.payee)?amount=0.9")
        try approve(request)
        let lines = try scene.done("wallet", "export-descriptors", "restored").output
        #expect(lines.contains("/9'/5'/4'/1']xpub") && !lines.contains("/9'/5'/4'/0']xpub"))
        try scene.expectCleanReplay()
    }

    @Test func `the descriptors of mixed coins are exported, and watched elsewhere`() throws {
        try pay(Address.mixed[0])
        try restore()
        let lines = try scene.done("wallet", "export-descriptors", "restored").output
        #expect(lines.contains("/9'/5'/4'/0']xpub"))
        try scene.done("wallet", "remove", "restored")
        try scene.done("wallet", "add", "--chain", "dash", "--watch", lines, "--label", "restored")
        try scene.done("sync")
        #expect(try balance() == "100000000")
    }

    @Test func `a larger gap finds coins further ahead, and an empty answer says what to do`()
        throws
    {
        try pay(Address.farAhead)
        let text = try restore().output
        #expect(text.contains("account 0: unused in its first 20 addresses"))
        #expect(text.contains("Compare the address above"))
        #expect(text.contains("--mnemonic-passphrase-file") && text.contains("--gap"))
        try scene.done("sync")
        #expect(try balance() == nil)
        try scene.done("wallet", "remove", "restored")
        let added = try restore("--gap", "31", "--json").object
        #expect(added["search"]?["gap"] == .int(31))
        try scene.done("sync")
        #expect(try balance() == "100000000")
        try scene.expectCleanReplay()
        for gap in ["19", "1001"] {
            try scene.daybook(
                "wallet", "add", "--chain", "axe", "--mnemonic-file", scene.path("legal"),
                "--gap", gap, "--passphrase-file", scene.path("new")
            ).expectFailure(2, "invalidWallet", of: "wallet add")
        }
    }

    @Test func `a passphrase of the words makes other keys, and is sealed with them`() throws {
        for (passphrase, address) in [
            ("TREZOR", Address.ofTrezor), ("Ünïcödé ﬁ", Address.ofLetters),
        ] {
            try scene.write("words-passphrase", passphrase + "\n")
            let option = ["--mnemonic-passphrase-file", scene.path("words-passphrase")]
            let added = try restore(option + ["--json"]).object
            #expect(added["address"] == .string(address))
            try scene.done("sandbox", "fund", "restored", "2")
            try scene.done("sandbox", "mine", "1")
            let request = try scene.pending("dash:\(Scene.payee)?amount=1")
            try approve(request)
            try scene.done("sandbox", "mine", "1")
            try scene.done("sync")
            try scene.done("wallet", "remove", "restored")
        }
    }

    @Test func `words of Electrum are named`() throws {
        try scene.write(
            "electrum",
            "wild father tree among universe such mobile favorite target dynamic credit identify")
        let answer = try scene.daybook(
            "wallet", "add", "--chain", "dash", "--mnemonic-file", scene.path("electrum"),
            "--passphrase-file", scene.path("new"))
        answer.expectFailure(2, "invalidMnemonic", of: "wallet add")
        #expect(answer.error.contains("Electrum"))
    }

    @Test func `a removed wallet is restored from its words under a new passphrase`() throws {
        try scene.done("wallet", "remove", "my-dash")
        try scene.done(
            "wallet", "add", "--chain", "dash", "--mnemonic-file", scene.path("old-words"),
            "--label", "again", "--passphrase-file", scene.path("new"))
        try scene.done("sync")
        let request = try scene.pending("dash:\(Scene.payee)?amount=1")
        try scene.approve(request).expectFailure(4, "wrongPassphrase", of: "approve")
        let paid = try Programs.run(
            [Programs.daybook, "approve", request, "--passphrase-file", scene.path("new")],
            environment: ["DAYBOOK_HOME": scene.home])
        #expect(paid.status == 0, "\(paid.error)")
    }

    @Test func `without a node the wallet is added, and the answer says that nothing was asked`()
        throws
    {
        let added = try scene.done(
            "wallet", "add", "--chain", "dash", "--network", "testnet", "--mnemonic-file",
            scene.path("legal"), "--passphrase-file", scene.path("new"), "--json"
        ).object
        #expect(added["search"]?["problem"]?["code"] == .string("nodeMissing"))
        #expect(added["search"]?["accounts"] == .array([]))
    }

    // MARK: - Calls

    /// Pays one coin to an address, and mines a block.
    private func pay(_ address: String) throws {
        let request = try scene.pending("dash:\(address)?amount=1")
        #expect(try scene.approve(request).status == 0)
        try scene.done("sandbox", "mine", "1")
    }

    /// Approves a request that the restored wallet pays.
    private func approve(_ request: String) throws {
        let paid = try Programs.run(
            [Programs.daybook, "approve", request, "--wallet", "restored", "--json"]
                + ["--passphrase-file", scene.path("new")],
            environment: ["DAYBOOK_HOME": scene.home])
        #expect(try paid.object["status"] == .string("completed"), "\(paid.error)")
    }

    @discardableResult
    private func restore(_ options: String...) throws -> ProgramRun { try restore(options) }

    private func restore(_ options: [String]) throws -> ProgramRun {
        let answer = try Programs.run(
            [Programs.daybook, "wallet", "add", "--chain", "dash", "--label", "restored"]
                + ["--mnemonic-file", scene.path("legal"), "--passphrase-file", scene.path("new")]
                + options, environment: ["DAYBOOK_HOME": scene.home])
        #expect(answer.status == 0, "\(answer.error)")
        return answer
    }

    /// The confirmed balance of the restored wallet; nil if it has none.
    private func balance() throws -> String? {
        try scene.done("balance", "--wallet", "restored", "--json").objects
            .first?["confirmed"]?.stringValue
    }
}
