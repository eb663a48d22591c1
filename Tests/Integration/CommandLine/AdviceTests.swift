import DaybookEncoding
import Foundation
import NodeServer
import TestSupport
import Testing

/// All lists and views say the same of a request, and no advice is refused.
struct AdviceTests {
    private func payment(_ amount: String) -> String {
        "dashwallet://pay=\(Scene.payee)&amount=\(amount)&sender=myapp"
    }

    /// The words of a list about each request, by its number.
    private func said(_ answer: ProgramRun) throws -> [String: [String: JSON?]] {
        try answer.objects.reduce(into: [:]) { said, line in
            guard let id = line["request"]?.numberLiteral else { return }
            said[id] = [
                "status": line["status"], "standing": line["standing"], "reason": line["reason"],
                "advice": line["advice"], "nodeReason": line["nodeReason"],
            ]
        }
    }

    /// Compares all lists with `show`, and runs every command of an advice in a store of its own.
    private func expectOneStory(
        _ scene: Scene, at place: SourceLocation = #_sourceLocation
    ) throws -> [String: String] {
        let requests = try scene.daybook("requests", "--json")
        let listed = try said(requests)
        let pending = try said(try scene.daybook("pending", "--json"))
        var advice: [String: String] = [:]
        for (id, line) in listed {
            let shown = try #require(try said(scene.daybook("show", id, "--json"))[id])
            #expect(line == shown, "request \(id)", sourceLocation: place)
            if let open = pending[id] { #expect(open == shown, sourceLocation: place) }
            if case .string(let text)? = shown["advice"] ?? nil {
                advice[id] = text
                try follow(text, in: scene, place)
            }
        }
        for wallet in try scene.daybook("wallet", "list", "--json").objects {
            let id = wallet["wallet"]?.numberLiteral ?? ""
            for entry in try scene.daybook("history", id, "--json").objects {
                guard let request = entry["request"]?.numberLiteral else { continue }
                #expect(
                    entry["status"] == listed[request]?["status"] ?? nil, sourceLocation: place)
            }
        }
        return advice
    }

    /// Runs the commands that an advice names, as its reader would.
    private func follow(_ advice: String, in scene: Scene, _ place: SourceLocation) throws {
        for match in advice.matches(of: /daybook (?<words>[a-z]+(?: --?[a-z]+| [a-z]+| [0-9]+)*)/) {
            var words = match.words.split(separator: " ").map(String.init)
            // `, or` goes on with the advice.
            if words == ["node", "set"] { continue }
            let copy = try Scene(empty: true)
            try FileManager.default.copyItem(atPath: scene.home, toPath: copy.home)
            if words[0] == "approve" { words += ["--passphrase-file", copy.path("passphrase")] }
            let answer = try Programs.run(
                [Programs.daybook] + words, environment: ["DAYBOOK_HOME": copy.home])
            #expect(
                answer.status == 0, "\(advice): \(words): \(answer.error)",
                sourceLocation: place)
        }
    }

    @Test func `a repeated request names the one that counts`() throws {
        let scene = try Scene()
        let first = try scene.pending(payment("1"))
        let copy = try scene.daybook("open", payment("1"), "--json").object
        let again = try #require(copy["request"]?.numberLiteral)
        #expect(copy["status"] == .string("coalesced"))
        #expect(copy["reason"] == .string("repeats request \(first): approve \(first)"))
        let advice = try expectOneStory(scene)
        #expect(advice[again]?.contains("daybook approve \(first)") == true)
        let line = try scene.daybook("requests").output.split(separator: "\n").first ?? ""
        #expect(line.contains("coalesced  pay 1 DASH to \(Scene.payee)"), "\(line)")
        #expect(line.hasSuffix("repeats request \(first): approve \(first)"), "\(line)")
        for command in ["approve", "reject"] {
            let refused = try command == "approve"
                ? scene.approve(again) : scene.daybook("reject", again)
            refused.expectFailure(1, "alreadyDecided", of: command)
            #expect(
                refused.error.contains("request \(again) repeats request \(first): approve"),
                "\(refused.error)")
        }
        #expect(try scene.approve(first).status == 0)
        let later = try expectOneStory(scene)
        #expect(later[again]?.contains("daybook show \(first)") == true)
        try scene.approve("999").expectFailure(1, "unknownRequest", of: "approve")
        try scene.expectCleanReplay()
    }

    @Test(arguments: [
        (
            "dashwallet://pay=\(Scene.payee)x&amount=1&sender=myapp",
            "the address is no address of Dash: its checksum is wrong, so that a character is "
                + "wrong or missing: copy it again"
        ),
        (
            "axe:\(Scene.payee)?amount=1",
            "the address is no address of Axe: it is an address of dash"
        ),
        (
            "dashwallet://request=address&sender=https",
            "the link's return address is not allowed ('sender'): the scheme 'https' is refused: a "
                + "browser would load or run it, and any site could be behind it"
        ),
        (
            "dashwallet://request=address&sender=my_app",
            "the link's return address is not allowed ('sender'): an app's scheme begins with a "
                + "letter and has only letters, digits, '+', '-' and '.'"
        ),
        (
            "dashwallet://request=address&sender=",
            "the link's return address is not allowed ('sender'): it is empty"
        ),
        (
            "iconex://?data=eyJpZCI6MSwibWV0aG9kIjoiYmluZCJ9&caller=https://evil.example/cb",
            "the link's return address is not allowed ('caller'): the scheme 'https' is refused: a "
                + "browser would load or run it, and any site could be behind it"
        ),
        (
            "iconex://?data=eyJpZCI6MSwibWV0aG9kIjoiYmluZCJ9&caller=app://host:80/cb",
            "the link's return address is not allowed ('caller'): it may have a host and a path of "
                + "plain characters, and no user, port or fragment"
        ),
    ])
    func `a refused link says what is wrong with its address`(
        link: String, reason: String
    ) throws {
        let scene = try Scene()
        let answer = try scene.daybook("open", link)
        #expect(answer.lastWords.contains(reason + " ("), "\(answer.error)")
        let listed = try scene.done("requests", "--json", "--limit", "1").object
        #expect(listed["reason"]?.stringValue == reason)
    }

    @Test func `a refused request says its content and the reason`() throws {
        let scene = try Scene()
        _ = try scene.daybook("open", "dashwallet://pay=\(Scene.payee)&amount=x&sender=myapp")
        _ = try scene.daybook("open", "mailto:someone")
        let lines = try scene.daybook("requests").output.split(separator: "\n").map(String.init)
        #expect(
            lines[1].contains(
                "refused  a link of the protocol dash: dashwallet://pay=\(Scene.payee)&amount=x"),
            "\(lines)")
        #expect(
            lines[0].contains(
                "a link that no protocol can parse: mailto:someone: no wallet protocol"))
        let id = try #require(
            try scene.daybook("requests", "--json").objects[1]["request"]?.numberLiteral)
        let refused = try scene.approve(id)
        refused.expectFailure(1, "alreadyDecided", of: "approve")
        #expect(refused.error.contains("is not open: it is refused: "), "\(refused.error)")
        #expect(try expectOneStory(scene).isEmpty)
    }

    @Test(arguments: [
        "mempool min fee not met", "min relay fee not met", "mempool full", "non-final",
        "too-long-mempool-chain", "txn-mempool-conflict", "word of tomorrow", "dust",
        "bad-txns-inputs-missingorspent", "absurdly-high-fee", "bad-txns-oversize",
        "mandatory-script-verify-flag-failed",
    ])
    func `the product does not refuse its own advice about a node's answer`(_ text: String) throws {
        let scene = try Scene()
        let id = try scene.pending(payment("1"))
        try scene.done("sandbox", "fault", "dash", "refuse-next", "-26", text)
        _ = try scene.approve(id)
        #expect(try expectOneStory(scene)[id]?.isEmpty == false)
    }

    @Test func `a payment without a block is sent in every list`() throws {
        let scene = try Scene()
        try scene.done("sandbox", "fault", "dash", "withhold-locks")
        let id = try scene.pending(payment("1"))
        #expect(try scene.approve(id, "--json").object["status"] == .string("completed"))
        _ = try expectOneStory(scene)
        #expect(try scene.daybook("show", id, "--json").object["status"] == .string("sent"))
        for (status, count) in [("sent", 1), ("completed", 0), ("signed,sent", 1)] {
            let listed = try scene.daybook("requests", "--status", status, "--json").objects
            #expect(listed.count == count, "\(status)")
        }
        try scene.done("sandbox", "mine")
        _ = try expectOneStory(scene)
        #expect(try scene.daybook("show", id, "--json").object["status"] == .string("completed"))
        #expect(
            try scene.daybook("requests", "--status", "completed", "--json").objects.count == 1)
    }

    @Test func `an execution that failed is one story, and its advice is followed`() throws {
        let scene = try Scene()
        let call = #""to":"cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32","stepLimit":"0x4c4b40","#
            + #""dataType":"call","data":{"method":"nosuch"}"#
        let id = try scene.pending(Scene.sendTransaction(call))
        #expect(try scene.approve(id).status == 0)
        _ = try expectOneStory(scene)
        try scene.done("sandbox", "mine")
        #expect(try expectOneStory(scene)[id]?.contains("daybook show \(id)") == true)
        let entries = try scene.daybook("history", "my-icon", "--json").objects
            .filter { $0["request"]?.numberLiteral == id }
        #expect(entries.map { $0["kind"] } == [.string("failed")])
        let shown = try scene.daybook("show", id, "--json").object
        #expect(entries.first?["fee"] == shown["fee"] && shown["fee"] != nil)
        #expect(shown["fee"] != .string("0.0625"), "the step limit is not what it took")
    }

    @Test func `while a cancellation is open, nobody is advised to cancel`() throws {
        let scene = try Scene()
        let id = try scene.pending(payment("1"))
        try scene.done("sandbox", "fault", "dash", "refuse-next", "-26", "mempool min fee not met")
        _ = try scene.approve(id)
        #expect(try expectOneStory(scene)[id]?.contains("daybook cancel \(id)") == true)
        let cancel = try #require(
            try scene.daybook("cancel", id, "--json").object["request"]?.numberLiteral)
        let asked = try expectOneStory(scene)
        #expect(asked[id]?.contains("daybook approve \(cancel)") == true)
        try scene.done("sandbox", "fault", "dash", "withhold-locks")
        #expect(try scene.approve(cancel).status == 0)
        let signed = try expectOneStory(scene)
        #expect(signed[id] == "wait for a block", "\(signed)")
        let pending = try scene.daybook("pending").output
        #expect(!pending.contains("daybook cancel"), "\(pending)")
        try scene.done("sandbox", "mine")
        _ = try expectOneStory(scene)
        #expect(try scene.daybook("show", id, "--json").object["status"] == .string("cancelled"))
        try scene.expectCleanReplay()
    }
}
