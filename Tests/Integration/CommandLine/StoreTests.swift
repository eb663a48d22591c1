import DaybookEncoding
import DaybookLMDB
import DaybookLog
import DaybookSystem
import Foundation
import TestSupport
import Testing

struct StoreTests {
    @Test func `init makes a store once, and says where it is and which log it has`() throws {
        let scene = try Scene(empty: true)
        let made = try scene.daybook("init", "--json").object
        #expect(made["home"]?.stringValue == (try Files.resolved(scene.home)))
        #expect(made["log"]?.stringValue?.count == 32)
        try scene.daybook("init").expectFailure(3, "storeExists", of: "init")
        try scene.expectCleanReplay()
    }

    @Test func `init refuses a folder that holds something else`() throws {
        let scene = try Scene(empty: true)
        try Files.createDirectory(scene.home, mode: 0o700)
        try scene.write("store/letter", "dear")
        let answer = try scene.daybook("init", "--json")
        answer.expectFailure(3, "folderNotEmpty", of: "init")
        try #expect(answer.object["error"]?["code"] == .string("folderNotEmpty"))
        #expect(try Files.list(scene.home) == ["letter"])
    }

    @Test(arguments: [
        ["pending"], ["wallet", "list"], ["balance"], ["open", "dash:x"], ["log"], ["sync"],
    ])
    func `a store that is missing is named by every command`(words: [String]) throws {
        let scene = try Scene(empty: true)
        let answer = try Programs.run(
            [Programs.daybook] + words + ["--json", "--home", scene.home])
        answer.expectFailure(3, "storeMissing", of: words.prefix(2).joined(separator: " ")
            .replacing("open dash:x", with: "open"))
        try #expect(answer.object["error"]?["code"] == .string("storeMissing"))
        #expect(answer.error.contains("`daybook init`"))
        #expect(try !Files.exists(scene.home))
    }

    @Test func `a store whose creation was cut off is finished by init`() throws {
        let scene = try Scene()
        try Files.removeTree(scene.home + "/keys")
        try Files.createDirectory(scene.home + "/keys", mode: 0o700)
        try Files.remove(scene.home + "/log/data.mdb")
        try scene.daybook("pending").expectFailure(3, "storeHalfCreated", of: "pending")
        try Files.removeTree(scene.home + "/log")
        try scene.done("init")
        try scene.done("pending")
    }

    @Test(arguments: [(99, "storeTooNew"), (1, "developmentVersion"), (2, "developmentVersion")])
    func `a store that another program wrote is refused and left alone`(
        layout: Int, code: String
    ) throws {
        let scene = try Scene()
        do {
            let environment = try DaybookLMDB.Environment(scene.home + "/log")
            try environment.write { view in try LogMeta.setLayout(UInt64(layout), view) }
        }
        let before = try Files.read(scene.home + "/log/data.mdb", limit: 1 << 26)
        try scene.daybook("pending").expectFailure(3, code, of: "pending")
        try scene.replay("replay", scene.home).expectFailure(3, code, of: "replay")
        #expect(try Files.read(scene.home + "/log/data.mdb", limit: 1 << 26) == before)
    }

    @Test func `a store of noise is damaged`() throws {
        let scene = try Scene()
        let noise = Data(repeating: 0x5a, count: 1 << 16)
        try noise.write(to: URL(fileURLWithPath: scene.home + "/log/data.mdb"))
        try scene.daybook("pending").expectFailure(3, "storeDamaged", of: "pending")
        try scene.replay("replay", scene.home).expectFailure(3, "storeDamaged", of: "replay")
    }

    @Test(.enabled(if: Files.currentUser == 0))
    func `somebody else's store is refused`() throws {
        let scene = try Scene()
        for path in [scene.home + "/log", scene.home + "/log/data.mdb"] {
            try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: path)
        }
        try scene.daybook("pending").expectFailure(3, "storeNotOwned", of: "pending")
    }

    @Test func `settings that are none are named`() throws {
        let scene = try Scene()
        try scene.write("store/settings.json", #"{"expirySeconds":0}"#)
        try scene.daybook("pending").expectFailure(3, "settingsInvalid", of: "pending")
        try scene.write("store/settings.json", "{")
        try scene.daybook("pending").expectFailure(3, "settingsInvalid", of: "pending")
    }

    @Test func `a report is one line without tricks, whatever the path holds`() throws {
        let scene = try Scene(empty: true)
        let path = scene.path("a\nb\u{1b}[31m\u{202e}")
        let answer = try scene.daybook("pending", "--home", path, "--json")
        answer.expectFailure(3, "storeMissing", of: "pending")
        #expect(answer.error.split(separator: "\n").count == 1)
        #expect(answer.lastWords.contains(#"a\u{000A}b\u{001B}[31m\u{202E}"#))
        #expect(!answer.output.contains("\u{202e}"))
        try scene.replay("replay", path).expectFailure(3, "storeMissing", of: "replay")
    }

    @Test(arguments: [["wallet", "list"], ["open", "dash:x"]])
    func `without a standard output nothing is printed into the store`(words: [String]) throws {
        let scene = try Scene()
        let answer = try Programs.run(
            ["/bin/sh", "-c", "exec \"$0\" \"$@\" >&-", Programs.daybook] + words,
            environment: ["DAYBOOK_HOME": scene.home])
        #expect(answer.status == 3)
        #expect(answer.code == "systemError")
        try scene.expectCleanReplay()
    }

    @Test func `a reader that goes away is no failure`() throws {
        let scene = try Scene()
        let answer = try withoutReader("log", scene)
        #expect(answer.lines.last == "141", "as of other tools that a signal ends")
        #expect(answer.error.isEmpty)
    }

    @Test func `a reader that has seen the result of a command that changes hears no more`()
        throws
    {
        let scene = try Scene()
        let answer = try Programs.run(
            ["/bin/bash", "-c",
             "\"$0\" open 'dash:\(Scene.payee)?amount=1' | head -n 1; echo ${PIPESTATUS[0]}",
             Programs.daybook],
            environment: ["DAYBOOK_HOME": scene.home])
        #expect(["0", "141"].contains(answer.lines.last))
        #expect(answer.error.isEmpty)
    }

    @Test func `nothing is approved where the prompt can't be printed, and the status says so`()
        throws
    {
        let scene = try Scene()
        let request = try scene.pending("dash:\(Scene.payee)?amount=1")
        let answer = try withoutReader(
            "approve \(request) --passphrase-file \"$PASSPHRASE\" 2>&1", scene)
        #expect(answer.lines.last == "3")
        #expect(try scene.daybook("pending").output.contains("request \(request) "))
    }

    @Test func `new words that nobody could read are a failure`() throws {
        let scene = try Scene()
        let answer = try withoutReader(
            "wallet add --chain dash --new --json --passphrase-file \"$PASSPHRASE\"", scene)
        #expect(answer.lines.last == "3")
        #expect(answer.code == "wordsNotShown")
    }

    @Test func `links that were not read are a failure`() throws {
        let scene = try Scene()
        let answer = try withoutReader("open - <<< 'dash:x'", scene)
        #expect(answer.lines.last == "3")
    }

    @Test func `an error has one line whatever the folder is called`() throws {
        let answer = try Programs.run(
            [Programs.daybook, "pending"],
            environment: ["DAYBOOK_HOME": "/nowhere\ndaybook: pending: done (\u{1B}[2J)"])
        #expect(answer.status == 3)
        #expect(answer.error.split(separator: "\n").count == 1)
        #expect(!answer.error.contains("\u{1B}"))
    }

    /// Runs `daybook` with its output into a pipe that nobody reads; prints the status.
    private func withoutReader(_ call: String, _ scene: Scene) throws -> ProgramRun {
        try Programs.run(
            ["/bin/bash", "-c",
             "mkfifo \"$PIPE\"; exec 3<>\"$PIPE\" 4>\"$PIPE\" 3<&-; "
                + "{ \"$0\" \(call); } >&4; echo $?",
             Programs.daybook],
            environment: [
                "DAYBOOK_HOME": scene.home, "PASSPHRASE": scene.path("passphrase"),
                "PIPE": scene.path("pipe"),
            ])
    }
}
