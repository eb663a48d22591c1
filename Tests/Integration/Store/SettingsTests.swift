import DaybookEncoding
import DaybookSystem
import Foundation
import Testing
import TestSupport

@testable import Daybook

/// Settings are listed, checked and changed by one table.
struct SettingsTests {
    private let temporary: TemporaryStore

    init() throws { temporary = try TemporaryStore() }

    private func file() throws -> JSON { try StoreFolder(temporary.path).readSettingsFile() }

    @Test func `a new store lists every setting with its standard value`() async throws {
        let store = try temporary.open()
        let all = try await store.settings()
        #expect(["version"] + all.map(\.key) == (try file().objectValue?.map(\.name)))
        #expect(all.allSatisfy { $0.value == $0.standard && !$0.help.isEmpty })
        #expect(try await store.setting("pendingInTotal") == all[3])
    }

    @Test func `a setting is changed in the file, and removed by nil`() async throws {
        let store = try temporary.open()
        let set = try await store.set("expirySeconds", to: "77")
        #expect(set.value == "77" && set.standard == "600")
        #expect(try file()["expirySeconds"]?.intValue == 77)
        #expect(try file()["pendingPerSender"]?.intValue == 16)
        let senders = try await store.set("blockedSenders", to: "evil,bad")
        #expect(senders.value == "evil,bad" && senders.isList)
        #expect(try await store.set("blockedSenders", to: "").value == "")
        #expect(try await store.set("expirySeconds", to: nil).value == "600")
        #expect(try file()["expirySeconds"] == nil)
    }

    @Test func `the store follows a changed setting at once, in a session of its own`()
        async throws
    {
        let store = try temporary.open()
        _ = try await store.addTestWallet(.dash)
        _ = try await store.receive("dashwallet://request=address&sender=shop")
        try await store.set("blockedSenders", to: "evil")
        let refused = try await store.receive("dashwallet://request=address&sender=evil")
        #expect(refused.status == .refused && refused.refusal == "senderBlocked")
        try await store.set("blockedSenders", to: nil)
        let request = try await store.receive("dashwallet://request=address&sender=evil")
        #expect(request.status == .pending)
        let records = try await store.allRecords()
        #expect(records.count { $0.type == "session.started" } == 3)
        try await store.expectCleanReplay()
    }

    @Test(arguments: [
        ("expirySeconds", "0"), ("expirySeconds", "86401"), ("expirySeconds", "soon"),
        ("expirySeconds", ""), ("expirySeconds", "1.5"), ("expirySeconds", "-1"),
        ("pendingPerSender", "[1]"), ("blockedSenders", "a b"), ("blockedSenders", "a,,@"),
    ])
    func `a value that a setting does not take changes nothing`(
        key: String, value: String
    ) async throws {
        let store = try temporary.open()
        let before = try file()
        let error = await expectCode("invalidSetting") { try await store.set(key, to: value) }
        #expect(error?.message.hasPrefix("\(key) is ") == true)
        #expect(try file() == before)
    }

    @Test(arguments: [
        ("expirySecond", "expirySeconds"), ("expiry", "expirySeconds"),
        ("blockedsender", "blockedSenders"), ("pendingTotal", "pendingInTotal"),
    ])
    func `an unknown key is an error that names the one that was meant`(
        key: String, meant: String
    ) async throws {
        let store = try temporary.open()
        let set = await expectCode("unknownSetting") { try await store.set(key, to: "1") }
        let read = await expectCode("unknownSetting") { try await store.setting(key) }
        for error in [set, read] {
            #expect(
                error?.message == "there is no setting '\(key)'; did you mean '\(meant)'?")
        }
        try Data(#"{"\#(key)":1}"#.utf8).write(to: URL(filePath: temporary.path + "/settings.json"))
        let error = await expectCode("settingsInvalid") { try await store.settings() }
        #expect(error?.message.hasSuffix("'\(key)'; did you mean '\(meant)'?") == true)
    }

    @Test(arguments: ["fees", "x", "language", ""])
    func `an unknown key that is like none is an error that names all`(key: String) async throws {
        let store = try temporary.open()
        let error = await expectCode("unknownSetting") { try await store.setting(key) }
        #expect(
            error?.message.hasPrefix(
                "there is no setting '\(key)'; the settings are expirySeconds, ") == true)
    }

    @Test(arguments: [(11, "storeTooNew"), (1, "developmentVersion")])
    func `settings of another program are refused by name, and stay as they are`(
        number: Int, code: String
    ) async throws {
        let store = try temporary.open()
        let path = temporary.path + "/settings.json"
        let text = #"{"version":\#(number),"expirySeconds":9,"later":1}"#
        try Data(text.utf8).write(to: URL(filePath: path))
        let error = await expectCode(code) { try await store.settings() }
        #expect(
            error?.message.hasPrefix("\(path): the format of settings.json \(number) ") == true)
        await expectCode(code) { try await store.set("expirySeconds", to: "8") }
        await expectCode(code) { try await store.receive("dashwallet://request=address&sender=a") }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    @Test func `a file that a person wrote needs no number, and gets one with a change`()
        async throws
    {
        let store = try temporary.open()
        let path = temporary.path + "/settings.json"
        try Data(#"{"expirySeconds":9}"#.utf8).write(to: URL(filePath: path))
        #expect(try await store.setting("expirySeconds").value == "9")
        try await store.set("expirySeconds", to: "8")
        let file = try JSON.parse(Bytes(try Data(contentsOf: URL(filePath: path))))
        #expect(file.objectValue?.map(\.name) == ["version", "expirySeconds"])
        #expect(file["version"]?.intValue == 10)
    }

    @Test func `writers at once lose nothing`() async throws {
        let store = try temporary.open()
        let folder = StoreFolder(temporary.path)
        let known = ["expirySeconds", "freeUnlockFailures", "pendingPerSender", "pendingInTotal"]
        try await withThrowingTaskGroup { group in
            for key in known {
                group.addTask {
                    // As another process does, which shares no lock in memory.
                    let setting = try #require(KnownSetting.named(key))
                    for value in 1...20 {
                        _ = try folder.changeSetting(setting, to: .number(String(value)))
                    }
                }
            }
            group.addTask {
                for port in 1...20 {
                    try await store.setNodes(
                        .dash, .regtest, urls: ["http://127.0.0.1:\(port)"])
                }
            }
            try await group.waitForAll()
        }
        for key in known { #expect(try await store.setting(key).value == "20") }
        #expect(try await store.nodes().map(\.url) == ["http://127.0.0.1:20/"])
    }

}

/// The settings in the operator's document.
struct SettingsDocumentedTests {
    @Test func `the settings are those of the program`() throws {
        let rows = KnownSetting.all.map { known in
            let setting = StoreSetting(known, in: .init())
            let standard = setting.standard.isEmpty ? "none" : setting.standard
            return "| `\(known.key)` | \(standard) | \(known.help); \(known.values) |"
        }
        try MadeText("settings", in: "docs/OPERATIONS.md").expect(
            ["| name | default | meaning; values |", "|---|---|---|"] + rows)
    }
}
