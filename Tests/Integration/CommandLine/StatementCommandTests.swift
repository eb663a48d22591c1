import DaybookEncoding
import Foundation
import TestSupport
import Testing

/// `daybook statement`, and what `daybook-replay verify` says of one.
struct StatementCommandTests {
    private static let period = ["--from", "2026-01-01", "--to", "2100-01-01"]

    private func statement(_ scene: Scene, _ words: String...) throws -> ProgramRun {
        try Programs.run(
            [Programs.daybook, "statement"] + Self.period + words,
            environment: ["DAYBOOK_HOME": scene.home])
    }

    @Test func `a statement in each format comes from the same figures`() throws {
        let scene = try Scene()
        _ = try scene.approve(
            try scene.pending("dashwallet://pay=\(Scene.payee)&amount=1.5&sender=shop"))
        let json = try statement(scene, "--json").object
        #expect(json["from"] == .string("2026-01-01T00:00:00.000000Z"))
        let wallets = try #require(json["wallets"]?.arrayValue)
        #expect(wallets.map { $0["asset"] } == ["DASH", "AXE", "ICX"].map(JSON.string))
        #expect(wallets[0]["received"] == .string("10") && wallets[0]["sent"] == .string("1.5"))
        #expect(try JSON.parse(Array(try statement(scene, "--format", "json").output.utf8)) == json)
        let text = try statement(scene, "--wallet", "my-dash").output
        #expect(text.hasPrefix("Statement from 2026-01-01 00:00:00 UTC to 2100-01-01"))
        #expect(text.contains("my-dash  DASH") && !text.contains("my-axe"))
        #expect(text.contains(try #require(json["root"]?.stringValue)))
        let table = try statement(scene, "--format", "csv").output
        #expect(table.hasPrefix("Date,Wallet,Asset,Kind,Received,Sent,Fee,Balance,"))
        #expect(table.contains(",DASH,opening,,,,0,") && table.contains(",root,"))
        try scene.done("statement", "--from", "2026-01-01", "--to", "2100-01-01", "--out",
                       scene.path("year.html"))
        try statement(scene, "--out", scene.path("year.html"))
            .expectFailure(1, "fileExists", of: "statement")
    }

    @Test(arguments: [
        (["--from", "2026-01-01", "--to", "2026-01-01"], "invalidPeriod"),
        (["--from", "2026-01-02", "--to", "2026-01-01"], "invalidPeriod"),
        (["--from", "2026-01-01"], "usage"),
        (["--from", "2026-01-01", "--to", "2027-01-01", "--format", "pdf"], "usage"),
    ])
    func `a period that is none is wrong usage`(words: [String], code: String) throws {
        let scene = try Scene()
        try Programs.run(
            [Programs.daybook, "statement"] + words,
            environment: ["DAYBOOK_HOME": scene.home]
        ).expectFailure(2, code, of: "statement")
    }

    @Test(arguments: ["2026-13-01", "x"])
    func `a time that is none is refused by name`(text: String) throws {
        try Scene().daybook("statement", "--from", text, "--to", "2027-01-01")
            .expectFailure(2, "invalidTime", of: "statement")
    }

    @Test func `verify compares a statement with the log, and names a forged figure`() throws {
        let scene = try Scene()
        _ = try scene.approve(
            try scene.pending("dashwallet://pay=\(Scene.payee)&amount=1.5&sender=shop"))
        let json = try statement(scene, "--format", "json").output
        let page = try statement(scene, "--format", "html").output
        // The log goes on, and the statement stays true of its beginning.
        try scene.done("sandbox", "mine")
        func verify(_ text: String) throws -> ProgramRun {
            try scene.replay("verify", scene.home, "--statement", try scene.write("claim", text))
        }
        for text in [json, page] {
            let answer = try verify(text)
            #expect(answer.status == 0, "\(answer.error)")
            #expect(answer.output.contains("statement: every figure follows from the log's first"))
            // Twice in a page: what is shown, and what is compared.
            let figure = text == page ? #"<td class="figure">1.5</td>"# : #""sent":"1.5""#
            let forged = text.replacing(figure, with: figure.replacing("1.5", with: "1.4"))
            #expect(forged != text)
            let refused = try verify(forged)
            refused.expectFailure(1, "statementDiffers", of: "verify")
            #expect(
                refused.error.contains(
                    text == page ? "the page shows something else" : #"wallets[0].sent is "1.4""#))
        }
        let root = try #require(try JSON.parse(Array(json.utf8))["root"]?.stringValue)
        let other = json.replacing(root, with: String(root.reversed()))
        let changed = try verify(other)
        changed.expectFailure(1, "statementDiffers", of: "verify")
        #expect(changed.error.contains("the root of the log's first"))
        let foreign = try Scene(empty: true)
        try foreign.done("init")
        let answer = try foreign.replay(
            "verify", foreign.home, "--statement", try foreign.write("claim", json))
        answer.expectFailure(1, "statementDiffers", of: "verify")
        #expect(answer.error.contains("the statement is of the log"))
        try verify("{}").expectFailure(1, "notAStatement", of: "verify")
        for (number, code) in [("11", "formatTooNew"), ("1", "developmentVersion")] {
            for text in [json, page] {
                let other = text.replacing("\"version\":10", with: "\"version\":\(number)")
                #expect(other != text)
                try verify(other).expectFailure(1, code, of: "verify")
            }
        }
        let result = try scene.replay(
            "verify", scene.home, "--statement", try scene.write("claim", json), "--json").object
        #expect(result["statement"]?["ok"] == .bool(true))
    }
}
