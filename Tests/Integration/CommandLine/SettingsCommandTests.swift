import DaybookEncoding
import DaybookSystem
import Foundation
import Testing

struct SettingsCommandTests {
    private let scene: Scene

    init() throws { scene = try Scene() }

    @Test func `settings lists every setting, and sets one for the programs that follow`() throws {
        let all = try scene.done("settings", "--json").objects
        #expect(all.map { $0["key"]?.stringValue } == [
            "expirySeconds", "freeUnlockFailures", "pendingPerSender", "pendingInTotal",
            "maxFeeRate", "blockedSenders",
        ])
        #expect(all[0]["value"] == .number("600") && all[5]["value"] == .array([]))
        #expect(all[4]["value"] == .number("1000000"))
        #expect(try scene.done("settings").lines.count == 2 * all.count)
        let blocked = try scene.done("settings", "blockedSenders", "evil,bad", "--json").object
        #expect(blocked["value"] == .array([.string("evil"), .string("bad")]))
        let refused = try scene.daybook("open", "dashwallet://request=address&sender=evil")
        refused.expectFailure(1, "senderBlocked", of: "open")
        let reset = try scene.done("settings", "blockedSenders", "--standard", "--json").object
        #expect(reset["value"] == .array([]) && reset["standard"] == .array([]))
        let one = try scene.done("settings", "expirySeconds").output
        #expect(one.hasPrefix("expirySeconds = 600\n"))
        try scene.expectCleanReplay()
    }

    @Test func `a running server follows what another process sets, and a file put in place`()
        throws
    {
        let server = try Server(scene)
        let (client, other) = (try server.client(), try server.client())
        _ = try other.result("subscribe")
        let link = "dashwallet://request=address&sender=evil"
        func open(_ link: String) throws -> JSON {
            try client.result("request.open", ["url": .string(link)])
        }
        #expect(try open(link)["status"] == .string("pending"))
        try scene.done("settings", "blockedSenders", "evil")
        #expect(try open(link + "&account=0")["error"]?["code"] == .string("senderBlocked"))
        // The first commit with other settings tells subscribers.
        var kinds: [JSON?] = []
        while !kinds.contains(.string("policy")) {
            let changes = try other.notification("changed")["changes"]?.arrayValue
            kinds += changes?.map { $0["what"] } ?? []
        }
        let file = scene.home + "/settings.json"
        let whole = try Files.read(file, limit: 1 << 16)
        try Files.writeAtomically(file, Array(#"{"expirySeconds":"soon"}"#.utf8), mode: 0o600)
        let refused = try client.call("request.open", ["url": .string(link)])
        #expect(refused["error"]?["data"]?["code"] == .string("settingsInvalid"))
        try Files.writeAtomically(file, whole, mode: 0o600)
        try scene.done("settings", "blockedSenders", "--standard")
        #expect(try open(link)["status"] == .string("coalesced"))
        #expect(server.program.end(by: SIGTERM).status == 0)
        try scene.expectCleanReplay()
    }

    @Test func `an unknown setting and a wrong value are usage errors, and change nothing`()
        throws
    {
        let before = try Files.read(scene.home + "/settings.json", limit: 1 << 16)
        let unknown = try scene.daybook("settings", "expiry", "9")
        unknown.expectFailure(2, "unknownSetting", of: "settings")
        #expect(unknown.lastWords.contains("did you mean 'expirySeconds'?"))
        try scene.daybook("settings", "expirySeconds", "0")
            .expectFailure(2, "invalidSetting", of: "settings")
        try scene.daybook("settings", "--standard").expectFailure(2, "usage", of: "settings")
        #expect(try Files.read(scene.home + "/settings.json", limit: 1 << 16) == before)
    }
}
