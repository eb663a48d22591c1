import DaybookEncoding
import DaybookSystem
import Foundation
import Testing

/// The links' schemes, registered with a desktop whose folders are the test's own.
struct DesktopCommandTests {
    private let scene: Scene
    private let data: String
    private let config: String

    private static let schemes = ["dashwallet", "dash", "axewallet", "axe", "iconex"]
    /// `tools/setup test` installs it.
    private static let validator = "/usr/bin/desktop-file-validate"

    init() throws {
        scene = try Scene()
        // What a desktop does with names is not what a shell does.
        data = scene.path(#"da"ta $(x) `y` 100% \z"#)
        config = scene.path("config")
    }

    private var entryPath: String { data + "/applications/daybook.desktop" }
    private var choicesPath: String { config + "/mimeapps.list" }

    private func desktop(_ words: String..., home: String? = nil) throws -> Answer {
        var environment = ["XDG_DATA_HOME": data, "XDG_CONFIG_HOME": config]
        environment["DAYBOOK_HOME"] = home ?? ""
        return try Call.run(
            ["\(Call.folder)/daybook", "desktop"] + words, environment: environment)
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    private func setChoices(_ text: String) throws {
        try Files.createDirectories(config, mode: 0o700)
        try Data(text.utf8).write(to: URL(filePath: choicesPath))
    }

    @Test func `install registers every scheme, and again changes nothing`() throws {
        let first = try desktop("install", "--json")
        #expect(first.status == 0, "\(first.error)")
        let schemes = try #require(try first.object["schemes"]?.arrayValue)
        #expect(schemes.map { $0["scheme"]?.stringValue } == Self.schemes)
        #expect(schemes.allSatisfy { $0["was"] == nil && $0["now"] == .string("daybook.desktop") })
        let files = (try text(entryPath), try text(choicesPath))
        for scheme in Self.schemes {
            #expect(files.0.contains("x-scheme-handler/\(scheme);"))
            #expect(files.1.contains("x-scheme-handler/\(scheme)=daybook.desktop;\n"))
        }
        #expect(files.0.contains(" desktop open -- %u\n"))
        #expect(try desktop("install").status == 0)
        #expect(try text(entryPath) == files.0)
        #expect(try text(choicesPath) == files.1)
        #expect(try Files.list(data + "/applications") == ["daybook.desktop"])
    }

    @Test func `what the entry runs records a request in the store it was installed for`() throws {
        let home = data + "/store"
        try Files.createDirectories(data, mode: 0o700)
        try FileManager.default.copyItem(atPath: scene.home, toPath: home)
        let exec = try #require(
            try desktop("install", "--json", home: home).object["exec"]?.stringValue)
        let entry = try text(entryPath)
        #expect(entry.contains("Exec=" + exec.replacing("\\", with: "\\\\") + "\n"))
        // A word in double quotes is the same for a shell; a desktop makes one of two percents.
        let link = "dash:\(Scene.payee)?amount=1"
        let line = exec.replacing("%u", with: "'\(link)'").replacing("%%", with: "%")
        // No program is found there: neither notifications nor terminals.
        let opened = try Call.run(["/bin/sh", "-c", line], environment: ["PATH": scene.folder])
        #expect(opened.status == 0, "\(opened.error)")
        let pending = try Call.run(
            ["\(Call.folder)/daybook", "pending", "--json"], environment: ["DAYBOOK_HOME": home])
        #expect(try pending.objects.map { $0["status"] } == [.string("pending")])
        let option = exec.replacing("%u", with: "--json").replacing("%%", with: "%")
        let refused = try Call.run(
            ["/bin/sh", "-c", option], environment: ["PATH": scene.folder])
        #expect(refused.status == 1, "what comes in the link's place is no option")
    }

    @Test func `the entry is one by the specification`() throws {
        #expect(try desktop("install", home: scene.home).status == 0)
        let answer = try Call.run([Self.validator, entryPath])
        #expect(answer.status == 0 && answer.output.isEmpty, "\(answer.output)")
    }

    @Test func `who opened the links before is named, comes second, and comes back`() throws {
        let before = """
            # mine
            [Added Associations]
            x-scheme-handler/dash=other.desktop;

            [Default Applications]
            text/html=browser.desktop
            x-scheme-handler/dash = other.desktop;third.desktop
            x-scheme-handler/iconex=iconex.desktop;\r

            [Removed Associations]
            x-scheme-handler/axe=old.desktop

            """
        try setChoices(before)
        let installed = try desktop("install", "--json")
        let schemes = try #require(try installed.object["schemes"]?.arrayValue)
        #expect(
            schemes.map { $0["was"]?.stringValue }
                == [nil, "other.desktop", nil, nil, "iconex.desktop"])
        let choices = try text(choicesPath)
        #expect(
            choices.contains(
                "\nx-scheme-handler/dash=daybook.desktop;other.desktop;third.desktop;\n"))
        #expect(choices.contains("[Added Associations]\nx-scheme-handler/dash=other.desktop;\n"))
        #expect(try desktop("install").output.contains("dash: daybook.desktop\n"))

        let removed = try desktop("remove", "--json")
        #expect(removed.status == 0, "\(removed.error)")
        #expect(
            try removed.object["schemes"]?.arrayValue?.map { $0["now"]?.stringValue }
                == [nil, "other.desktop", nil, nil, "iconex.desktop"])
        #expect(
            try text(choicesPath)
                == before.replacing(
                    "dash = other.desktop;third.desktop", with: "dash=other.desktop;third.desktop;"
                ).replacing("iconex.desktop;\r\n", with: "iconex.desktop;\n"))
        #expect(try !Files.exists(entryPath))
    }

    @Test func `remove takes back no more than install did`() throws {
        #expect(try desktop("remove").status == 0, "there was nothing")
        #expect(try !Files.exists(choicesPath))
        let before = "[Added Associations]\ntext/html=browser.desktop;\n"
        try setChoices(before)
        #expect(try desktop("install").status == 0)
        #expect(try text(choicesPath).hasPrefix(before))
        #expect(try desktop("remove").status == 0)
        #expect(try text(choicesPath) == before)
        #expect(try desktop("remove").status == 0)
        #expect(try text(choicesPath) == before)
    }

    @Test func `an entry of somebody else's is neither replaced nor removed`() throws {
        try Files.createDirectories(data + "/applications", mode: 0o700)
        let other = "[Desktop Entry]\nType=Application\nName=Other\nExec=other\n"
        try Data(other.utf8).write(to: URL(filePath: entryPath))
        try desktop("install").expectFailure(1, "fileExists", of: "desktop install")
        #expect(try !Files.exists(choicesPath))
        #expect(try desktop("remove").status == 0)
        #expect(try text(entryPath) == other)
    }

    @Test func `a list that is kept elsewhere is written there, and the link stays`() throws {
        try Files.createDirectories(config, mode: 0o700)
        let real = try scene.write("dotfiles", "")
        try FileManager.default.createSymbolicLink(
            atPath: choicesPath, withDestinationPath: real)
        #expect(try desktop("install").status == 0)
        #expect(try text(real).contains("daybook.desktop"))
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: choicesPath) == real)
    }

    @Test func `a store that is not there is not registered`() throws {
        try desktop("install", home: scene.path("nowhere"))
            .expectFailure(3, "storeMissing", of: "desktop install")
        #expect(try !Files.exists(entryPath))
    }
}
