import DaybookEncoding
import DaybookSystem
import Foundation
import Testing

struct DecisionCommandTests {
    @Test func `a key file that others may read ends no request: mended, it signs`() throws {
        let scene = try Scene()
        let to = "hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e"
        let request = try scene.pending(
            Scene.connect(
                #"{"id":1,"method":"sendICX","params":{"from":"\#(Scene.icon)","to":"\#(to)","#
                    + #""value":"0x1"}}"#))
        func protect(_ mode: Int) throws {
            for name in try Files.list("\(scene.home)/keys") {
                try FileManager.default.setAttributes(
                    [.posixPermissions: mode], ofItemAtPath: "\(scene.home)/keys/\(name)")
            }
        }
        try protect(0o644)
        try scene.approve(request).expectFailure(3, "permissionDenied", of: "approve")
        try protect(0o600)
        #expect(try scene.approve(request).status == 0)
        try scene.expectCleanReplay()
    }

    private let scene: Scene

    init() throws {
        scene = try Scene()
    }

    private func payment(_ amount: String, _ sender: String = "myapp") -> String {
        "dashwallet://pay=\(Scene.payee)&amount=\(amount)&sender=\(sender)"
    }

    @Test func `an approved payment is sent, and its callback waits to be delivered`() throws {
        let id = try scene.pending(payment("1.5"))
        let answer = try scene.approve(id, "--json")
        #expect(answer.status == 0, "\(answer.error)")
        let request = try answer.object
        #expect(request["status"]?.stringValue == "completed")
        let txid = try #require(request["txid"]?.stringValue)
        let url = "myapp://callback=payack&address=\(Scene.payee)&txid=\(txid)"
        #expect(request["callback"]?.stringValue == url)
        #expect(answer.error.contains("  \(Scene.payee)\n"), "the prompt is shown again")
        let callback = try scene.daybook("callbacks", "--json").object
        #expect(callback["url"]?.stringValue == url)
        #expect(callback["request"]?.numberLiteral == id)
        #expect(callback["delivered"] == .bool(false))
        let delivered = try scene.daybook("callbacks", "--delivered", id, "--json").object
        #expect(delivered["delivered"] == .bool(true))
        #expect(try scene.daybook("callbacks", "--json").output.isEmpty)
        try scene.daybook("callbacks", "--delivered", "1")
            .expectFailure(1, "unknownCallback", of: "callbacks")
        try scene.expectCleanReplay()
    }

    /// As the form's own documentation sends it. A call's limit is what the chain estimates.
    @Test(arguments: [
        (#""to":"hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e","value":"0x1""#, "100000"),
        (
            #""to":"hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e","value":"0x1","#
                + #""dataType":"message","data":"0x68656c6c6f""#,
            "102800"
        ),
        (
            #""to":"cxb0776ee37f5b45bfaea8cff1d8232fbb6122ec32","dataType":"call","data":{"#
                + #""method":"transfer","params":{"_value":"0x1","#
                + #""_to":"hx5b97bc7e0a18d4a7a825e150ae59ef4e5c9fba2e"}}"#,
            nil
        ),
    ])
    func `a transaction of Connect's second form needs no step limit`(
        params: String, limit: String?
    ) throws {
        try scene.done("sandbox", "fund", "my-icon", "2.5", "--token")
        let request = try scene.daybook("open", Scene.sendTransaction(params), "--json").object
        #expect(request["status"]?.stringValue == "pending", "\(request.text())")
        let shown = try #require(request["prompt"]?.shown("stepLimit"))
        if let limit { #expect(shown.hasPrefix(limit)) }
        let id = try #require(request["request"]?.numberLiteral)
        let answer = try scene.approve(id, "--json")
        #expect(answer.status == 0, "\(answer.error)")
        let status = try answer.object["status"]?.stringValue
        #expect(status == "completed")
        try scene.done("sandbox", "mine")
        try scene.done("sync")
        try scene.expectCleanReplay()
        let audit = try scene.replay("verify", scene.home)
        #expect(audit.status == 0, "\(audit.output)")
    }

    @Test func `approving twice, or after a rejection, is refused`() throws {
        let first = try scene.pending(payment("1"))
        #expect(try scene.approve(first).status == 0)
        try scene.approve(first, "--json").expectFailure(1, "alreadyDecided", of: "approve")
        let second = try scene.pending(payment("2"))
        let rejected = try scene.daybook("reject", second, "--json").object
        #expect(rejected["status"]?.stringValue == "rejected")
        #expect(rejected["callback"] == nil)
        try scene.approve(second).expectFailure(1, "alreadyDecided", of: "approve")
        try scene.daybook("reject", second).expectFailure(1, "alreadyDecided", of: "reject")
        try scene.daybook("reject", "1").expectFailure(1, "unknownRequest", of: "reject")
        try scene.approve("1").expectFailure(1, "unknownRequest", of: "approve")
        try scene.expectCleanReplay()
    }

    @Test func `an expired request can't be approved`() throws {
        try scene.write("store/settings.json", #"{"expirySeconds":1}"#)
        let id = try scene.pending(payment("1"))
        while try !scene.done("pending", "--json").output.isEmpty {}
        try scene.approve(id, "--json").expectFailure(1, "expired", of: "approve")
        #expect(try scene.daybook("show", id, "--json").object["status"]?.stringValue == "expired")
        try scene.expectCleanReplay()
    }

    @Test func `a prompt that was not shown can't be approved`() throws {
        let id = try scene.pending(payment("9"))
        let shown = try scene.daybook("show", id, "--json").object["prompt"]?["digest"]?.stringValue
        let other = try scene.pending(payment("5", "other"))
        #expect(try scene.approve(other).status == 0)
        let late = try scene.approve(id, "--shown", try #require(shown), "--json")
        late.expectFailure(1, "promptChanged", of: "approve")
        try #expect(late.object["error"]?["code"]?.stringValue == "promptChanged")
        let now = try scene.daybook("show", id, "--json").object["prompt"]?["digest"]?.stringValue
        try scene.approve(id, "--shown", try #require(now))
            .expectFailure(1, "insufficientBalance", of: "approve")
        try scene.expectCleanReplay()
    }

    @Test func `a passphrase that is missing, wrong, or wrong too often is status 4`() throws {
        let id = try scene.pending(payment("1"))
        try scene.daybook("approve", id).expectFailure(4, "passphraseMissing", of: "approve")
        let wrong = try scene.write("wrong", "incorrect horse\n")
        for _ in 0..<3 {
            let answer = try scene.daybook("approve", id, "--passphrase-file", wrong, "--json")
            answer.expectFailure(4, "wrongPassphrase", of: "approve")
            try #expect(answer.object["error"]?["code"]?.stringValue == "wrongPassphrase")
            #expect(!answer.error.contains("incorrect") && !answer.output.contains("incorrect"))
        }
        try scene.approve(id).expectFailure(4, "lockedOut", of: "approve")
        try scene.expectCleanReplay()
    }

    @Test func `amounts that the user enters are checked as those of links are`() throws {
        let id = try scene.pending("dashwallet://pay=\(Scene.payee)&sender=myapp")
        try scene.approve(id).expectFailure(1, "amountMissing", of: "approve")
        try scene.approve(id, "--amount", "1,5").expectFailure(2, "invalidAmount", of: "approve")
        try scene.approve(id, "--amount", "0.123456789")
            .expectFailure(2, "amountTooPrecise", of: "approve")
        try scene.approve(id, "--amount", "999999999999999")
            .expectFailure(2, "amountTooLarge", of: "approve")
        try scene.approve(id, "--amount", "21000001")
            .expectFailure(2, "amountTooLarge", of: "approve")
        try scene.approve(id, "--amount", "0.00000545").expectFailure(1, "dust", of: "approve")
        try scene.approve(id, "--amount", "11")
            .expectFailure(1, "insufficientBalance", of: "approve")
        #expect(try scene.approve(id, "--amount", "0.25").status == 0)
        let fixed = try scene.pending(payment("1"))
        try scene.approve(fixed, "--amount", "2").expectFailure(1, "amountFixed", of: "approve")
        try scene.expectCleanReplay()
    }

    @Test func `a wallet of another chain can't answer`() throws {
        let id = try scene.pending(payment("1"))
        try scene.approve(id, "--wallet", "my-axe").expectFailure(1, "wrongWallet", of: "approve")
        try scene.approve(id, "--wallet", "nobody").expectFailure(1, "unknownWallet", of: "approve")
        #expect(try scene.approve(id, "--wallet", "my-dash").status == 0)
    }

    @Test func `a silent node leaves the payment to the next command, which sends the same`()
        throws
    {
        let id = try scene.pending(payment("1"))
        try scene.done("sandbox", "fault", "dash", "lose-next")
        let answer = try scene.approve(id, "--json")
        answer.expectFailure(5, "sendUnanswered", of: "approve")
        let request = try answer.object
        #expect(request["status"]?.stringValue == "signed")
        #expect(request["error"]?["code"]?.stringValue == "sendUnanswered")
        try scene.daybook("sync", "--json").expectFailure(5, "nodeNoAnswer", of: "sync")
        try scene.done("sandbox", "fault", "dash", "none")
        try scene.done("sync")
        let later = try scene.daybook("show", id, "--json").object
        #expect(later["status"]?.stringValue == "completed")
        #expect(later["txid"] == request["txid"])
        try scene.expectCleanReplay()
    }

    @Test func `a node that refuses is status 5, and the request has failed`() throws {
        let id = try scene.pending(payment("1"))
        try scene.done("sandbox", "fault", "dash", "refuse-next", "-26", "dust")
        let answer = try scene.approve(id, "--json")
        answer.expectFailure(5, "refusedByNode", of: "approve")
        #expect(try answer.object["status"]?.stringValue == "failed")
        #expect(try answer.object["error"]?["code"]?.stringValue == "refusedByNode")
        try scene.expectCleanReplay()
    }

    @Test func `binding takes no passphrase, and rejecting it tells the caller`() throws {
        let bind = try scene.pending(Scene.connect(#"{"id":1,"method":"bind"}"#))
        #expect(try scene.done("approve", bind, "--json").object["status"]?.stringValue
            == "completed")
        let again = try scene.pending(Scene.connect(#"{"id":2,"method":"bind"}"#))
        let rejected = try scene.done("reject", again, "--json").object
        #expect(rejected["callback"]?.stringValue?.hasPrefix("my-app://?data=") == true)
        let binding = try scene.daybook("bindings", "--json").object
        #expect(binding["caller"]?.stringValue == "my-app")
        #expect(binding["kind"]?.stringValue == "bind")
        #expect(binding["values"] == .array([.string(Scene.icon)]))
        #expect(binding["request"]?.numberLiteral == bind)
        #expect(binding["at"]?.stringValue?.hasSuffix("Z") == true)
    }
}
