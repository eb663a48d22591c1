import DaybookEncoding
import DaybookSystem
import Foundation
import TestSupport
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
        // A desktop reads names otherwise than a shell.
        data = scene.path(#"da"ta $(x) `y` 100% \z"#)
        config = scene.path("config")
    }

    private var entryPath: String { data + "/applications/daybook.desktop" }
    private var choicesPath: String { config + "/mimeapps.list" }

    private func desktop(
        _ words: String..., home: String? = nil, data: String? = nil, running: String = ""
    ) throws -> ProgramRun {
        var environment = [
            "XDG_DATA_HOME": data ?? self.data, "XDG_CONFIG_HOME": config,
            "XDG_DATA_DIRS": scene.path("usr/share"), "XDG_CONFIG_DIRS": scene.path("etc/xdg"),
            "XDG_CURRENT_DESKTOP": running,
        ]
        environment["DAYBOOK_HOME"] = home ?? ""
        return try Programs.run(
            [Programs.daybook, "desktop"] + words, environment: environment)
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    private func setChoices(_ text: String) throws {
        try write(choicesPath, text)
    }

    private func write(_ path: String, _ text: String) throws {
        try Files.createDirectories(Files.parent(of: path), mode: 0o700)
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    /// Installs another program, which opens all of our schemes.
    private func makeOther(_ id: String) throws {
        let types = Self.schemes.map { "x-scheme-handler/\($0);" }.joined()
        try write(
            scene.path("usr/share/applications/\(id)"),
            "[Desktop Entry]\nType=Application\nName=Other\nExec=/bin/true %u\n"
                + "MimeType=\(types)\n")
    }

    /// The programs that open the links, now and before: the same for each scheme.
    private func opened(_ answer: ProgramRun) throws -> [[String?]] {
        let schemes = try #require(try answer.object["schemes"]?.arrayValue)
        #expect(schemes.count == Self.schemes.count)
        let all = schemes.map { scheme in
            ["was", "now", "list"].map { scheme[$0]?.stringValue }
        }
        return all.first.map { first in all.allSatisfy { $0 == first } ? [first] : all } ?? []
    }

    @Test func `install registers every scheme, and again changes nothing`() throws {
        let first = try desktop("install", "--json")
        #expect(first.status == 0, "\(first.error)")
        let schemes = try #require(try first.object["schemes"]?.arrayValue)
        #expect(schemes.map { $0["scheme"]?.stringValue } == Self.schemes)
        #expect(try opened(first) == [[nil, "daybook.desktop", choicesPath]])
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

    @Test func `the entry's command records a request in the store it was installed for`() throws {
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
        let opened = try Programs.run(["/bin/sh", "-c", line], environment: ["PATH": scene.folder])
        #expect(opened.status == 0, "\(opened.error)")
        let pending = try Programs.run(
            [Programs.daybook, "pending", "--json"], environment: ["DAYBOOK_HOME": home])
        #expect(try pending.objects.map { $0["status"] } == [.string("pending")])
        let option = exec.replacing("%u", with: "--json").replacing("%%", with: "%")
        let refused = try Programs.run(
            ["/bin/sh", "-c", option], environment: ["PATH": scene.folder])
        #expect(refused.status == 1, "what comes in the link's place is no option")
    }

    @Test func `the entry is one by the specification`() throws {
        #expect(try desktop("install", home: scene.home).status == 0)
        let answer = try Programs.run([Self.validator, entryPath])
        #expect(answer.status == 0 && answer.output.isEmpty, "\(answer.output)")
    }

    @Test func `the previous program is named, comes second, and comes back`() throws {
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
        for id in ["other.desktop", "iconex.desktop"] { try makeOther(id) }
        let installed = try desktop("install", "--json")
        let schemes = try #require(try installed.object["schemes"]?.arrayValue)
        // Without a choice the first program in the folder's order opens them.
        let was = ["iconex.desktop", "other.desktop"] + Array(repeating: "iconex.desktop", count: 3)
        #expect(schemes.map { $0["was"]?.stringValue } == was)
        let choices = try text(choicesPath)
        #expect(
            choices.contains(
                "\nx-scheme-handler/dash=daybook.desktop;other.desktop;third.desktop;\n"))
        #expect(choices.contains("[Added Associations]\nx-scheme-handler/dash=other.desktop;\n"))
        let again = try desktop("install").output
        #expect(again.contains("dash: daybook.desktop, by \(choicesPath)\n"))

        let removed = try desktop("remove", "--json")
        #expect(removed.status == 0, "\(removed.error)")
        #expect(
            try removed.object["schemes"]?.arrayValue?.map { $0["now"]?.stringValue } == was)
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

    /// The lists that other programs wrote, of which each wins over what a naive `install` writes.
    private static let winning: [(place: String, text: String)] = [
        ("config/gnome-mimeapps.list", "[Default Applications]\nTYPE=other.desktop;\n"),
        (
            "config/mimeapps.list",
            "[Default Applications]\nTYPE=other.desktop;\n\n[Added Associations]\n"
                + "TYPE=other.desktop;\n\n[Default Applications]\nTYPE=other.desktop;\n"
        ),
        (
            "config/mimeapps.list",
            "[Default Applications]\nTYPE=daybook.desktop;\nTYPE=other.desktop;\n"
        ),
        ("config/mimeapps.list", "[Removed Associations]\nTYPE=daybook.desktop;\n"),
        ("etc/xdg/mimeapps.list", "[Removed Associations]\nTYPE=daybook.desktop;\n"),
        ("etc/xdg/gnome-mimeapps.list", "[Default Applications]\nTYPE=other.desktop;\n"),
        ("plain/applications/mimeapps.list", "[Removed Associations]\nTYPE=daybook.desktop;\n"),
        ("usr/share/applications/mimeapps.list", "[Default Applications]\nTYPE=other.desktop;\n"),
    ]

    @Test(arguments: winning.indices)
    func `after install the links are ours, whatever list won before`(number: Int) throws {
        let (place, text) = Self.winning[number]
        try makeOther("other.desktop")
        // Each line that has a type is one line for each of ours.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.contains("TYPE")
                ? Self.schemes.map { line.replacing("TYPE", with: "x-scheme-handler/\($0)") }
                    .joined(separator: "\n") : String(line)
        }
        let before = lines.joined(separator: "\n")
        try write(scene.path(place), before)
        let answer = try desktop(
            "install", "--json", data: scene.path("plain"), running: "ubuntu:GNOME")
        #expect(answer.status == 0, "\(answer.error)")
        let list = place == "config/gnome-mimeapps.list" ? scene.path(place) : choicesPath
        #expect(try opened(answer) == [["other.desktop", "daybook.desktop", list]])
        // The same for programs that read the first of repeated lines.
        for scheme in Self.schemes {
            let first = try self.text(list).split(separator: "\n").first {
                $0.hasPrefix("x-scheme-handler/\(scheme)=")
            }
            #expect(first?.hasPrefix("x-scheme-handler/\(scheme)=daybook.desktop;") == true)
        }
        let removed = try desktop(
            "remove", "--json", data: scene.path("plain"), running: "ubuntu:GNOME")
        #expect(
            try opened(removed).map { Array($0[..<2]) } == [["daybook.desktop", "other.desktop"]])
    }

    @Test func `a link to a file that is not there yet is followed, never replaced`() throws {
        try Files.createDirectories(config, mode: 0o700)
        let real = scene.path("dotfiles")
        try FileManager.default.createSymbolicLink(
            atPath: choicesPath, withDestinationPath: "../dotfiles")
        #expect(try desktop("install").status == 0)
        #expect(try text(real).contains("daybook.desktop"))
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: choicesPath) == "../dotfiles")
    }

    @Test func `a link into a folder that is not there is named, and stays`() throws {
        try Files.createDirectories(config, mode: 0o700)
        let target = scene.path("unmounted/mimeapps.list")
        try FileManager.default.createSymbolicLink(
            atPath: choicesPath, withDestinationPath: target)
        try desktop("install").expectFailure(1, "linkDangling", of: "desktop install")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: choicesPath) == target)
    }

    @Test(arguments: ["my store", "it's", "100%", "a\"b", "x=y", "日本"])
    func `a store whose path needs quotes has a launcher, which needs none`(name: String) throws {
        let home = scene.path(name)
        try FileManager.default.copyItem(atPath: scene.home, toPath: home)
        let plain = scene.path("plain")
        let exec = try #require(
            try desktop("install", "--json", home: home, data: plain).object["exec"]?.stringValue)
        #expect(exec == "\(plain)/applications/daybook-open %u")
        let validated = try Programs.run([Self.validator, "\(plain)/applications/daybook.desktop"])
        #expect(validated.status == 0 && validated.output.isEmpty, "\(validated.output)")
        // As openers do that know neither quotes nor escapes: split at blanks, and run.
        let words = exec.split(separator: " ").map {
            $0 == "%u" ? "dash:\(Scene.payee)" : String($0)
        }
        let opened = try Programs.run(words, environment: ["PATH": scene.folder])
        #expect(opened.status == 0, "\(opened.error)")
        let pending = try Programs.run(
            [Programs.daybook, "pending", "--json"], environment: ["DAYBOOK_HOME": home])
        #expect(try pending.objects.map { $0["status"] } == [.string("pending")])
        #expect(try desktop("install", data: plain).status == 0)
        #expect(try Files.list("\(plain)/applications") == ["daybook.desktop"], "needs none")
        #expect(try desktop("install", home: home, data: plain).status == 0)
        #expect(try desktop("remove", data: plain).status == 0)
        #expect(try Files.list("\(plain)/applications").isEmpty)
    }

    @Test func `a launcher of somebody else's is neither replaced nor removed`() throws {
        let plain = scene.path("plain")
        try write("\(plain)/applications/daybook-open", "#!/bin/sh\n")
        try desktop("install", data: plain).expectFailure(1, "fileExists", of: "desktop install")
        #expect(try desktop("remove", data: plain).status == 0)
        #expect(try text("\(plain)/applications/daybook-open") == "#!/bin/sh\n")
    }
}
