import DaybookEncoding
import DaybookSystem
import Foundation
import Testing
import TestSupport

/// Callbacks and the programs for their schemes, in a desktop of the test's own.
///
/// Every program is a script that notes its words. `xdg-open` and those that it calls are among
/// them: no callback may reach one, because they make a web address of what they don't know.
struct CallbackHandlerTests {
    private let scene: Scene
    private let bin: String

    private static let guessers = [
        "xdg-open", "kde-open", "kde-open5", "gio", "exo-open", "browser",
    ]

    init() throws {
        scene = try Scene()
        bin = scene.path("bin")
        try Files.createDirectories(bin, mode: 0o700)
        for name in Self.guessers + ["handler", "other"] { try script(name) }
        try script("notify-send", answering: "reject")
    }

    private func environment(_ desktop: String) -> [String: String] {
        [
            "PATH": "\(bin):/usr/bin:/bin", "DAYBOOK_HOME": scene.home,
            "XDG_DATA_HOME": scene.path("data"), "XDG_CONFIG_HOME": scene.path("config"),
            "XDG_DATA_DIRS": scene.path("usr/share"), "XDG_CONFIG_DIRS": scene.path("etc/xdg"),
            "XDG_CURRENT_DESKTOP": desktop, "KDE_SESSION_VERSION": desktop == "KDE" ? "5" : "",
            "KDE_FULL_SESSION": desktop == "KDE" ? "true" : "", "DISPLAY": ":9",
            "WAYLAND_DISPLAY": "", "BROWSER": "\(bin)/browser", "TERMINAL": "",
            "DESKTOP_SESSION": "", "XDG_RUNTIME_DIR": scene.path("run"),
        ]
    }

    /// Writes a program that notes its folder and its words, each between brackets.
    private func script(
        _ name: String, answering answer: String = "", status: Int = 0
    ) throws {
        let path = try scene.write(
            "bin/\(name)",
            """
            #!/bin/sh
            for word in "$@"; do printf '[%s]' "$word"; done >>'\(scene.path(name)).words'
            echo " $PWD" >>'\(scene.path(name)).words'
            printf '%s\\n' '\(answer)'
            exit \(status)

            """)
        try Files.setMode(0o700, of: path)
    }

    /// The words of each call of a program, without the folder that it was called in.
    private func words(_ name: String) -> [String] {
        lines(name).compactMap { $0.split(separator: " /").first.map { String($0) } }
    }

    private func lines(_ name: String) -> [String] {
        let text = try? String(contentsOfFile: scene.path("\(name).words"), encoding: .utf8)
        return (text ?? "").split(separator: "\n").map { String($0) }
    }

    /// Writes a file of the desktop, such as `config/mimeapps.list`.
    private func write(_ path: String, _ text: String) throws {
        let parent = Files.parent(of: scene.path(path))
        try Files.createDirectories(parent, mode: 0o700)
        try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: scene.path(path)))
    }

    /// Writes a desktop entry, which names the type of `my-app:` unless it is told otherwise.
    private func entry(
        _ path: String, exec: String?, type: String = "x-scheme-handler/my-app;",
        _ lines: String = ""
    ) throws {
        try write(
            path,
            "[Desktop Entry]\nType=Application\nName=Shop & Co\nMimeType=\(type)\n"
                + (exec.map { "Exec=\($0)\n" } ?? "") + lines)
    }

    private func choose(_ id: String, in path: String = "config/mimeapps.list") throws {
        try write(path, "[Default Applications]\nx-scheme-handler/my-app=\(id)")
    }

    /// Rejects a request of `my-app`; returns what `desktop open` noted, and what is still due.
    private func reject(desktop: String = "") throws -> (note: String, due: Int) {
        let environment = environment(desktop)
        let link = Scene.connect(#"{"id":1,"method":"bind"}"#)
        let opened = try Programs.run(
            [Programs.daybook, "desktop", "open", link], environment: environment)
        #expect(opened.status == 0, "\(opened.error)")
        let due = try Programs.run(
            [Programs.daybook, "callbacks", "--json"], environment: environment)
        for name in Self.guessers { #expect(words(name).isEmpty, "\(name)") }
        return (opened.error, due.lines.count)
    }

    private func expectDelivered(
        by program: String = "handler", desktop: String = "",
        at place: SourceLocation = #_sourceLocation
    ) throws {
        let (note, due) = try reject(desktop: desktop)
        #expect(due == 0, "\(note)", sourceLocation: place)
        #expect(words(program).count == 1, "\(note)", sourceLocation: place)
        let word = words(program).first ?? ""
        #expect(word.hasPrefix("[my-app://?data="), "\(word)", sourceLocation: place)
        #expect(!word.contains("]["), "one argument", sourceLocation: place)
    }

    private func expectKept(
        _ reason: String, desktop: String = "", at place: SourceLocation = #_sourceLocation
    ) throws {
        let (note, due) = try reject(desktop: desktop)
        #expect(due == 1, "it is still to be delivered", sourceLocation: place)
        #expect(note.contains("was not opened: "), "\(note)", sourceLocation: place)
        #expect(note.contains(reason), "\(note)", sourceLocation: place)
        #expect(words("handler").isEmpty && words("other").isEmpty, sourceLocation: place)
    }

    // MARK: - Which program

    @Test(arguments: ["", "KDE", "GNOME", "ubuntu:GNOME", "XFCE"])
    func `a callback is started at the program for its scheme, on every desktop`(
        _ desktop: String
    ) throws {
        try entry("data/applications/shop.desktop", exec: "handler %u")
        try choose("shop.desktop")
        try expectDelivered(desktop: desktop)
    }

    @Test(arguments: ["", "KDE", "GNOME"])
    func `without a program for its scheme it stays, on every desktop`(
        _ desktop: String
    ) throws {
        try entry(
            "data/applications/web.desktop", exec: "browser %u", type: "x-scheme-handler/http;")
        try expectKept("no program is registered for my-app:", desktop: desktop)
    }

    @Test(arguments: ["KDE", "GNOME", ""])
    func `a sender that is a host's name gets nothing over the network`(
        _ desktop: String
    ) throws {
        let link = "dashwallet://request=address&sender=evil.example.com"
        var environment = environment(desktop)
        func daybook(_ words: String...) throws -> ProgramRun {
            try Programs.run([Programs.daybook] + words, environment: environment)
        }
        let request = try daybook("open", link, "--json").object["request"]
        environment["PROGRAM"] = Programs.daybook
        environment["REQUEST"] = try #require(request?.numberLiteral)
        environment["PASSPHRASE"] = scene.path("passphrase")
        let answer = try Programs.run(
            ["/bin/bash", "-c",
             """
             printf 'y\\n\\n' | script -qec \
             "'$PROGRAM' ask $REQUEST --open --passphrase-file '$PASSPHRASE'" /dev/null
             """], environment: environment)
        #expect(
            answer.output.contains("no program is registered for evil.example.com:"),
            "\(answer.output)")
        for name in Self.guessers { #expect(words(name).isEmpty, "\(name)") }
        let due = try daybook("callbacks", "--json")
        #expect(due.output.contains("evil.example.com://callback=address"), "\(due.output)")
    }

    @Test func `a desktop's own choice comes before the user's, and that before the system's`()
        throws
    {
        for name in ["shop", "other"] {
            try entry(
                "usr/share/applications/\(name).desktop",
                exec: "\(name == "shop" ? "handler" : name) %u")
        }
        try choose("other.desktop", in: "etc/xdg/mimeapps.list")
        try choose("shop.desktop")
        try expectDelivered()
        try choose("other.desktop", in: "config/kde-mimeapps.list")
        try expectDelivered(by: "other", desktop: "KDE")
        #expect(words("handler").count == 1, "not on KDE")
    }

    @Test func `without a choice, lists of associations and then caches count`() throws {
        try entry("usr/share/applications/cached.desktop", exec: "handler %u")
        try write(
            "usr/share/applications/mimeinfo.cache",
            "[MIME Cache]\nx-scheme-handler/my-app=gone.desktop;cached.desktop;")
        try expectDelivered()
        try entry("data/applications/added.desktop", exec: "other %u", type: "text/plain;")
        try write(
            "config/mimeapps.list",
            "[Added Associations]\nx-scheme-handler/my-app=added.desktop;")
        try expectDelivered(by: "other")
    }

    @Test func `a removed association is none, even for a default of the system`() throws {
        try entry("usr/share/applications/shop.desktop", exec: "handler %u")
        try choose("shop.desktop", in: "usr/share/applications/mimeapps.list")
        try write(
            "config/mimeapps.list",
            "[Removed Associations]\nx-scheme-handler/my-app=shop.desktop;")
        try expectKept("no program is registered for my-app:")
    }

    @Test func `a choice that dangles gives way to the next`() throws {
        try entry("data/applications/a.desktop", exec: "/no/such/program %u")
        try entry("data/applications/b.desktop", exec: "handler %u", "TryExec=no-such-program")
        try entry("data/applications/c.desktop", exec: "handler %u", "Hidden=true")
        try entry("data/applications/d.desktop", exec: "other %u")
        try choose("gone.desktop;a.desktop;b.desktop;c.desktop;d.desktop;")
        try expectDelivered(by: "other")
    }

    @Test func `where all choices dangle, the reason names the first`() throws {
        try entry("data/applications/a.desktop", exec: "/no/such/program %u")
        try choose("a.desktop;gone.desktop;")
        try expectKept("a.desktop names a program that is missing")
    }

    @Test func `an entry in a folder of its vendor is found by its id`() throws {
        try entry("data/applications/vendor/shop.desktop", exec: "handler %u")
        try write(
            "config/mimeapps.list",
            """
            [Added Associations]
            x-scheme-handler/my-app=vendor-shop.desktop;
            [Default Applications]
            x-scheme-handler/my-app=vendor-shop.desktop;
            """)
        try expectDelivered()
    }

    // MARK: - How it is started

    @Test func `quoted words, field codes and blanks are read by the specification`() throws {
        let odd = scene.path(#"odd "$(touch x)` program"#)
        try FileManager.default.copyItem(atPath: bin + "/handler", toPath: odd)
        let quoted = odd.replacing("\\", with: #"\\\\"#).replacing("\"", with: #"\\""#)
            .replacing("$", with: #"\\$"#).replacing("`", with: #"\\`"#)
        try entry(
            "data/applications/shop.desktop",
            exec: "\"\(quoted)\"  \"a b\" 100%% %i --name=%c --url=%u %m \"\"",
            "Icon=shop icon\nPath=\(bin)")
        try choose("shop.desktop")
        let (note, due) = try reject()
        #expect(due == 0, "\(note)")
        let call = try #require(lines("handler").first)
        #expect(
            call.hasPrefix(
                "[a b][100%][--icon][shop icon][--name=Shop & Co][--url=my-app://?data="),
            "\(call)")
        #expect(call.hasSuffix("][] \(bin)"), "\(call)")
    }

    @Test(arguments: [
        ("handler", "it has no place for a URL"),
        ("handler %f", "it opens files only"),
        ("handler %u %U", "it has two places"),
        ("%u handler", "it names no program"),
        ("sh -c \"handler %u\"", "a field code is quoted"),
        ("sh -c 'handler' %u", "it expects a shell"),
        ("handler %u; touch x", "it expects a shell"),
        ("handler \"$HOME\" %u", "it expects a shell"),
        ("handler %z %u", "a field code is unknown"),
        ("handler \"%u", "a field code is quoted"),
        ("handler %u \"open", "a quotation mark is missing"),
        ("handler x\"y\" %u", "it expects a shell"),
        ("handler \\q %u", "a backslash escapes nothing"),
    ])
    func `a command line that could be read in two ways starts nothing`(
        _ exec: String, _ reason: String
    ) throws {
        try entry("data/applications/shop.desktop", exec: exec)
        try choose("shop.desktop")
        try expectKept("shop.desktop has a command line that can't be followed: \(reason)")
    }

    @Test func `programs that need a terminal or D-Bus are named, and not started`() throws {
        try entry("data/applications/shop.desktop", exec: "handler %u", "Terminal=true")
        try choose("shop.desktop")
        try expectKept("shop.desktop runs in a terminal only")
        try entry("data/applications/shop.desktop", exec: nil, "DBusActivatable=true")
        let (note, _) = try reject()
        #expect(note.contains("programs that D-Bus starts"), "\(note)")
        try entry("data/applications/shop.desktop", exec: "handler %u", "DBusActivatable=true")
        #expect(try !reject().note.contains("was not opened"), "its line does as well")
    }

    @Test func `a program that fails has taken nothing`() throws {
        try script("handler", status: 3)
        try entry("data/applications/shop.desktop", exec: "handler %u")
        try choose("shop.desktop")
        let (note, due) = try reject()
        #expect(due == 1 && note.contains("shop.desktop failed"), "\(note)")
    }

    // MARK: - Links that come in

    @Test func `doctor says what the desktop does with links`() throws {
        func findings(_ desktop: String) throws -> [JSON] {
            let answer = try Programs.run(
                [Programs.daybook, "doctor", "--json"], environment: environment(desktop))
            let all = try answer.object["findings"]?.arrayValue ?? []
            return all.filter { $0["about"] == .string("desktop") }
        }
        #expect(try findings("KDE").isEmpty, "nothing is installed")
        let installed = try Programs.run(
            [Programs.daybook, "desktop", "install"], environment: environment(""))
        #expect(installed.status == 0, "\(installed.error)")
        #expect(try findings("GNOME").map { $0["status"] } == [.string("ok")])
        let found = try findings("KDE")
        #expect(found.map { $0["status"] } == [.string("ok"), .string("warning")])
        #expect(found.last?["message"]?.stringValue?.contains("kde-open") == true)
        try entry(
            "data/applications/other.desktop", exec: "other %u", type: "x-scheme-handler/axe;")
        try write(
            "config/gnome-mimeapps.list",
            "[Default Applications]\nx-scheme-handler/axe=other.desktop")
        let taken = try findings("GNOME")
        #expect(taken.map { $0["status"] } == [.string("warning")])
        #expect(
            taken.first?["message"]
                == .string(
                    "the desktop opens axe: with other.desktop by "
                        + "\(scene.path("config/gnome-mimeapps.list")), not Daybook"))
    }
}
