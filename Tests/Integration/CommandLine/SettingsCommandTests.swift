import DaybookEncoding
import DaybookSystem
import Testing

struct SettingsCommandTests {
    private let scene: Scene

    init() throws { scene = try Scene() }

    @Test func `settings lists every setting, and sets one for the programs that follow`() throws {
        let all = try scene.done("settings", "--json").objects
        #expect(all.map { $0["key"]?.stringValue } == [
            "expirySeconds", "freeUnlockFailures", "pendingPerSender", "pendingInTotal",
            "blockedSenders",
        ])
        #expect(all[0]["value"] == .number("600") && all[4]["value"] == .array([]))
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

    @Test func `an unknown setting and a wrong value are usage errors, and change nothing`()
        throws
    {
        let before = try Files.read(scene.home + "/settings.json", limit: 1 << 16)
        let unknown = try scene.daybook("settings", "expiry", "9")
        unknown.expectFailure(2, "unknownSetting", of: "settings")
        #expect(unknown.lastWords.contains("the nearest is expirySeconds"))
        try scene.daybook("settings", "expirySeconds", "0")
            .expectFailure(2, "invalidSetting", of: "settings")
        try scene.daybook("settings", "--standard").expectFailure(2, "usage", of: "settings")
        #expect(try Files.read(scene.home + "/settings.json", limit: 1 << 16) == before)
    }
}
