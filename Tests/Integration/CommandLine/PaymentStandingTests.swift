import DaybookEncoding
import Testing

/// The words of commands about payments that wait for more than their user.
struct PaymentStandingTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
    }

    private func payment(_ amount: String) -> String {
        "dashwallet://pay=\(Scene.payee)&amount=\(amount)&sender=myapp"
    }

    @Test func `pending lists requests that wait, then payments in flight with reasons`() throws {
        let waiting = try scene.pending(payment("2"))
        let id = try scene.pending(payment("1"))
        try scene.done(
            "sandbox", "fault", "dash", "refuse-next", "-26", "mempool min fee not met, 3 < 4")
        let answer = try scene.approve(id, "--json")
        answer.expectFailure(5, "sendUnanswered", of: "approve")
        #expect(try answer.object["nodeReason"] == .string("feeTooLow"))
        #expect(answer.error.contains("its fee is below what the node's mempool takes now"))
        let lines = try scene.daybook("pending", "--json").objects
        #expect(lines.map { $0["status"] } == [.string("pending"), .string("signed")])
        #expect(lines[0]["request"]?.numberLiteral == waiting)
        #expect(lines[1]["request"]?.numberLiteral == id)
        #expect(lines[1]["held"]?.arrayValue?.first?["minor"] == .string("1000000000"))
        #expect(lines[1]["reason"]?.stringValue?.isEmpty == false)
        let text = try scene.daybook("pending").output
        #expect(text.contains("in flight:"))
        #expect(text.split(separator: "\n").contains {
            $0.hasPrefix("  holds back ") && $0.hasSuffix(" 10 DASH")
        })
        #expect(text.contains("daybook cancel \(id)"))
        #expect(try scene.done("doctor").output.contains("warning: payments: request \(id)"))
        let synced = try scene.done("sync")
        #expect(synced.output.contains("request \(id) was sent, and a node took it"))
        #expect(try scene.daybook("pending", "--json").objects.count == 1)
        try scene.expectCleanReplay()
    }

    @Test func `a payment in flight is shown with its labels, as a request is`() throws {
        let id = try scene.pending(payment("1"))
        try scene.done("sandbox", "fault", "dash", "refuse-next", "-26", "mempool min fee not met")
        _ = try scene.approve(id)
        for (about, label) in [
            ("request:\(id)", "June's beans"), ("sender:myapp", "the roaster"),
            ("address:\(Scene.payee)", "till 2"),
        ] { try scene.done("label", about, label) }
        let payment = try scene.daybook("pending", "--json").object
        #expect(payment["walletLabel"] == .string("my-dash"))
        #expect(payment["label"] == .string("June's beans"))
        #expect(payment["senderLabel"] == .string("the roaster"))
        #expect(payment["toLabel"] == .string("till 2"))
        let lines = try scene.daybook("pending").lines
        for (name, value) in [
            ("wallet", "\"my-dash\""), ("label", "June's beans"),
            ("sender's label", "the roaster"), ("address's label", "till 2"),
        ] {
            #expect(lines.contains { $0.hasPrefix("  \(name) ") && $0.hasSuffix(" \(value)") })
        }
    }

    @Test func `a transaction that ICON executed without success is not completed`() throws {
        let call = #""to":"\#(Self.token)","stepLimit":"0x4c4b40","dataType":"call","#
            + #""data":{"method":"nosuch"}"#
        let id = try scene.pending(Scene.sendTransaction(call))
        #expect(try scene.approve(id, "--json").object["status"] == .string("completed"))
        try scene.done("sandbox", "mine")
        let shown = try scene.daybook("show", id, "--json").object
        #expect(shown["status"] == .string("failed"))
        #expect(shown["refusal"] == .string("failedOnChain"))
        #expect(shown["toldPaid"] == .bool(true))
        let text = try scene.daybook("show", id).output
        #expect(text.contains("the caller was told that it is paid"))
        #expect(text.contains("only the fee is gone"))
        try scene.expectCleanReplay()
    }

    private static let token = "cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32"

    @Test func `open offers the wallet that can pay, and names the others`() throws {
        let words = try scene.write("other", String(repeating: "zoo ", count: 11) + "wrong")
        let added = try scene.done(
            "wallet", "add", "--chain", "dash", "--mnemonic-file", words, "--label", "rich",
            "--passphrase-file", scene.path("passphrase"), "--json")
        let rich = try #require(try added.object["wallet"]?.numberLiteral)
        try scene.done("sandbox", "fund", "rich", "100")
        try scene.done("sandbox", "mine", "1")
        let small = try scene.daybook("open", payment("1"), "--json").object
        #expect(small["prompt"]?.shown("label") == "my-dash")
        #expect(small["otherWallets"]?.arrayValue?.map(\.numberLiteral) == [rich])
        let large = try scene.daybook("open", payment("50"), "--json").object
        #expect(large["prompt"]?.shown("label") == "rich")
        #expect(large["otherWallets"]?.arrayValue?.count == 1)
        let id = try #require(large["request"]?.numberLiteral)
        #expect(try scene.daybook("pending").output.contains("(approve \(id) --wallet W)"))
        #expect(try scene.approve(id, "--json").object["status"] == .string("completed"))
        try scene.expectCleanReplay()
    }

    @Test func `a request that nobody can approve as it stands is not asked about`() throws {
        let answer = try scene.daybook("open", payment("11"))
        #expect(answer.status == 0)
        #expect(!answer.output.contains("decide:"))
        #expect(answer.output.contains("it can't be approved as it stands: the balance"))
        #expect(try scene.daybook("open", payment("1")).output.contains("decide:"))
    }

    @Test func `a token that is none, and a node that is down, are named`() throws {
        let send = { (contract: String) in
            Scene.connect(
                #"{"id":3,"method":"sendToken","params":{"from":"\#(Scene.icon)","#
                    + #""to":"hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e","value":"0x64","#
                    + #""contractAddress":"\#(contract)"}}"#)
        }
        let nowhere = "cx" + String(repeating: "1", count: 40)
        let none = try scene.daybook("open", send(nowhere), "--json")
        none.expectFailure(1, "notAToken", of: "open")
        #expect(try none.object["code"] == .int(-3005))
        try scene.done("sandbox", "fault", "icon", "silent")
        let down = try scene.daybook("open", send(Self.token), "--json")
        down.expectFailure(1, "chainUnavailable", of: "open")
        #expect(try down.object["reason"]?.stringValue?.contains("no answer") == true)
        try scene.expectCleanReplay()
    }
}
