import DaybookEncoding
import DaybookSystem
import Foundation
import TestSupport
import Testing

/// The three commands that take a payment to the machine with the key, and back.
struct SigningCommandTests {
    private let cold: Scene
    private let hot: Scene

    init() throws {
        cold = try Scene()
        hot = try Scene(empty: true)
        try hot.done("init")
    }

    private func sign(_ file: String, _ words: String...) throws -> ProgramRun {
        try Programs.run(
            [
                Programs.daybook, "sign", file, "--passphrase-file",
                cold.path("passphrase"),
            ] + words, environment: ["DAYBOOK_HOME": cold.home])
    }

    private func watch(_ chain: String) throws {
        let wallets = try cold.daybook("wallet", "list", "--json").objects
        let own = try #require(wallets.first { $0["chain"]?.stringValue == chain })
        let key = try #require(own["watch"]?.stringValue)
        let added = try hot.daybook(
            "wallet", "add", "--chain", chain, "--watch", key, "--label", "far", "--json")
        #expect(try added.object["address"] == own["address"], "\(added.error)")
        try hot.done("sandbox", "fund", "far", "10")
        try hot.done("sandbox", "mine", "6")
    }

    @Test func `a watched wallet pays with a signature of the machine with the key`() throws {
        try watch("dash")
        let id = try hot.pending("dashwallet://pay=\(Scene.payee)&amount=1.5&sender=myapp")
        let file = hot.path("pay.psbt")
        hot.daybookMustFail("approve", id, "--yes", code: "watchOnly")
        let written = try hot.daybook("approve", id, "--offline", file, "--json").object
        #expect(written["request"]?.numberLiteral == id)
        #expect(written["file"]?.stringValue == file)
        #expect((try Files.information(file)?.mode ?? 0o777) & 0o077 == 0)
        try hot.daybook("approve", id, "--offline", file)
            .expectFailure(2, "fileExists", of: "approve")

        let answer = try sign(file, "--json")
        let signed = try answer.object
        #expect(signed["file"]?.stringValue == file + ".signed", "\(answer.error)")
        #expect(signed["terms"]?.shown("to") == Scene.payee)
        #expect(signed["terms"]?.shown("amount") == "1.5")
        #expect(answer.error.contains(Scene.payee), "the terms are shown")

        try hot.daybook("approve", id, "--signed", file, "--yes")
            .expectFailure(1, "notSigned", of: "approve")
        let done = try hot.daybook("approve", id, "--signed", file + ".signed", "--json").object
        #expect(done["status"]?.stringValue == "completed")
        #expect(done["txid"]?.stringValue?.count == 64)
        try hot.expectCleanReplay()
        #expect(try hot.replay("verify", hot.home).status == 0)
    }

    @Test func `on ICON the file is JSON`() throws {
        try watch("icon")
        let to = "hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e"
        let id = try hot.pending(
            Scene.connect(
                #"{"id":1,"method":"sendICX","params":{"from":"\#(Scene.icon)","to":"\#(to)","#
                    + #""value":"0xde0b6b3a7640000"}}"#))
        let file = hot.path("send.json")
        try hot.done("approve", id, "--offline", file)
        let request = try JSON.parse(try Files.read(file, limit: 65_536))
        #expect(request["daybook"]?.stringValue == "signing request")
        #expect(request["params"]?["to"]?.stringValue == to)
        #expect(try sign(file, "--out", hot.path("back.json")).status == 0)
        let done = try hot.daybook(
            "approve", id, "--signed", hot.path("back.json"), "--json"
        ).object
        #expect(done["status"]?.stringValue == "completed")
        try hot.expectCleanReplay()
    }

    @Test func `usage of the options is checked`() throws {
        try watch("dash")
        let id = try hot.pending("dashwallet://pay=\(Scene.payee)&amount=1&sender=myapp")
        try hot.daybook("approve", id, "--offline", "a", "--signed", "b")
            .expectFailure(2, "usage", of: "approve")
        try hot.daybook("wallet", "add", "--chain", "dash", "--watch", "xpub")
            .expectFailure(2, "invalidKey", of: "wallet add")
        try hot.daybook("wallet", "add", "--chain", "dash", "--watch", "xpub", "--new")
            .expectFailure(2, "usage", of: "wallet add")
        let junk = try hot.write("junk", "cHNidP8=")
        try sign(junk).expectFailure(1, "notASigningRequest", of: "sign")
    }
}

extension Scene {
    /// Runs `daybook` with the passphrase; it must fail with this code.
    fileprivate func daybookMustFail(_ words: String..., code: String) {
        let answer = try? Programs.run(
            [Programs.daybook] + words + ["--passphrase-file", path("passphrase")],
            environment: ["DAYBOOK_HOME": home])
        #expect(answer?.code == code)
    }
}
