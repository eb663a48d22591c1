import DaybookEncoding
import NodeServer
import TestSupport
import Testing

/// `bump` and `cancel` at a node, as their user sees them.
struct RemedyCommandTests {
    private let scene: Scene
    private let server: NodeServer

    init() throws {
        scene = try Scene(empty: true)
        try scene.done("init")
        let words = try scene.write("words", Scene.words)
        let added = try scene.done(
            "wallet", "add", "--chain", "dash", "--network", "regtest", "--mnemonic-file", words,
            "--passphrase-file", scene.path("passphrase"), "--json")
        let address = try #require(try added.object["address"]?.stringValue)
        server = try NodeServer(.dash)
        server.utxo { $0.switches.withholdsLocks = true }
        try server.fund(address, 1_000_000_000)
        server.mine(6)
        try scene.done("node", "set", "dash", "regtest", server.url)
        try scene.done("sync")
    }

    private func payment() throws -> String {
        try scene.pending(
            "dashwallet://pay=yT3FCKMxCNqZhdGNjLzk6fRNH2skQa4xXf&amount=1&sender=myapp")
    }

    /// The number of the request that a command has just made.
    private func made(_ answer: ProgramRun) throws -> String {
        try #require(try answer.object["request"]?.numberLiteral)
    }

    /// The payments in flight that `pending` lists, with their standing.
    private func inFlight() throws -> [String: String] {
        let lines = try scene.daybook("pending", "--json").objects.filter { $0["held"] != nil }
        return Dictionary(
            uniqueKeysWithValues: lines.map {
                ($0["request"]?.numberLiteral ?? "", $0["status"]?.stringValue ?? "")
            })
    }

    @Test func `bump shows both rates, and a block ends what is in flight`() throws {
        let id = try payment()
        #expect(try scene.approve(id, "--json").object["status"] == .string("completed"))
        let before = try scene.daybook("pending").output
        #expect(before.contains("nothing waits for you\n\nin flight:\nrequest \(id) is sent; "))
        let asked = try scene.daybook("bump", id)
        #expect(asked.status == 0 && asked.output.contains("rateOfBoth"), "\(asked.output)")
        #expect(asked.output.contains("2000 duffs per 1000 bytes"))
        #expect(asked.output.contains("decide: daybook approve "))
        let child = try made(try scene.daybook("bump", id, "--json"))
        let again = try scene.daybook("show", child, "--json").object
        #expect(again["status"] == .string("coalesced"))
        let bump = try #require(again["into"]?.numberLiteral)
        #expect(try scene.daybook("pending").output.contains("request \(bump) waits for your"))
        let done = try scene.approve(bump)
        #expect(done.status == 0 && done.error.contains("request \(bump) asks:"), "\(done.error)")
        #expect(try inFlight() == [id: "sent", bump: "sent"])
        server.mine()
        let synced = try scene.done("sync")
        #expect(synced.output.contains("dash/regtest is at block "), "\(synced.output)")
        #expect(try inFlight() == [:])
        for request in [id, bump] {
            let shown = try scene.daybook("show", request)
            #expect(shown.output.hasPrefix("request \(request) is completed\n"), "\(shown.output)")
            #expect(shown.output.contains("\n  block "), "\(shown.output)")
        }
        try scene.daybook("bump", id).expectFailure(1, "alreadyConfirmed", of: "bump")
        let balance = try scene.done("balance", "--json").object
        #expect(balance["confirmed"] == .string("899999164"))
        try scene.expectCleanReplay()
    }

    @Test func `cancel waits beside its payment, until a block has one of the two`() throws {
        let id = try payment()
        server.misbehave(
            .error(code: -26, message: "mempool min fee not met, 226 < 450"),
            on: "sendrawtransaction")
        try scene.approve(id).expectFailure(5, "sendUnanswered", of: "approve")
        let stuck = try scene.daybook("pending").output
        #expect(stuck.contains("request \(id) is signed, and no node has it: its fee is below"))
        #expect(stuck.contains("or cancel it: daybook cancel \(id)"), "\(stuck)")
        try scene.daybook("bump", id).expectFailure(1, "notSent", of: "bump")
        server.behave()
        let asked = try scene.daybook("cancel", id)
        #expect(asked.output.contains("Only one of the payment and this transaction can be"))
        let cancel = try #require(
            try scene.daybook("pending", "--json").objects
                .first { $0["method"] == .string("cancel") }?["request"]?.numberLiteral)
        // While its user thinks about it the payment is not sent.
        #expect(!(try scene.done("sync").output.contains("request \(id)")))
        #expect(try inFlight() == [id: "signed"])
        let done = try scene.approve(cancel)
        #expect(done.status == 0, "\(done.error)")
        #expect(done.output.contains("is sent; the block that decides is awaited"))
        #expect(try inFlight() == [id: "signed", cancel: "sent"])
        try scene.daybook("cancel", id).expectFailure(1, "alreadyCancelled", of: "cancel")
        server.mine()
        let synced = try scene.done("sync").output
        #expect(synced.contains("request \(id) "), "\(synced)")
        #expect(try inFlight() == [:])
        let shown = try scene.daybook("show", id)
        #expect(shown.output.hasPrefix("request \(id) is cancelled: "), "\(shown.output)")
        #expect(
            try scene.daybook("show", cancel).output.hasPrefix(
                "request \(cancel) is completed\n"))
        let balance = try scene.done("balance", "--json").object
        #expect(balance["available"] == .string("999999808"))
        try scene.expectCleanReplay()
    }

    @Test func `cancel of a payment that a node has is refused, and offers bump`() throws {
        let id = try payment()
        #expect(try scene.approve(id, "--json").object["status"] == .string("completed"))
        try scene.daybook("cancel", id).expectFailure(1, "alreadySent", of: "cancel")
        try scene.daybook("bump", "999").expectFailure(1, "unknownRequest", of: "bump")
        try scene.daybook("bump", "x").expectFailure(2, "usage", of: "bump")
    }
}
