import DaybookEncoding
import DaybookSystem
import Foundation
import TestSupport
import Testing

/// The units of a user's systemd, whose folder is the test's own; `systemctl` is a script.
struct ServiceCommandTests {
    private let scene: Scene
    private let bin: String
    private let config: String

    init() throws {
        scene = try Scene()
        bin = scene.path("bin")
        config = scene.path("config")
        try Files.createDirectories(bin, mode: 0o700)
    }

    /// Writes a `systemctl` that notes its words and answers as the units' states are.
    private func systemctl(service state: String, enabled: String = "enabled") throws {
        let path = try scene.write(
            "bin/systemctl",
            """
            #!/bin/sh
            echo "$*" >>'\(scene.path("calls"))'
            [ "$3" = show ] || exit 0
            printf 'Id=daybook.socket\\nFragmentPath=/u/daybook.socket\\n'
            printf 'ActiveState=\(enabled == "enabled" ? "active" : "inactive")\\n'
            printf 'UnitFileState=\(enabled)\\n\\n'
            printf 'Id=daybook.service\\nActiveState=\(state)\\nUnitFileState=\\nFragmentPath=\\n'

            """)
        try Files.setMode(0o700, of: path)
    }

    private var calls: String {
        (try? String(contentsOfFile: scene.path("calls"), encoding: .utf8)) ?? ""
    }

    private func service(_ words: String..., home: String? = nil) throws -> ProgramRun {
        try Programs.run(
            [Programs.daybook, "service"] + words,
            environment: [
                "PATH": "\(bin):/usr/bin:/bin", "HOME": scene.folder, "XDG_CONFIG_HOME": config,
                "DAYBOOK_HOME": home ?? scene.home,
            ])
    }

    private func unit(_ name: String) -> String { "\(config)/systemd/user/\(name)" }

    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test func `install writes units that systemd reads, says what is next, and can be repeated`()
        throws
    {
        try systemctl(service: "inactive")
        let first = try service("install", "--json")
        #expect(first.status == 0, "\(first.error)")
        let paths = [unit("daybook.socket"), unit("daybook.service")]
        #expect(try first.object["units"] == .array(paths.map(JSON.string)))
        #expect(
            try first.object["next"]
                == .array([.string("systemctl --user enable --now daybook.socket")]))
        #expect(calls.hasPrefix("--user --quiet daemon-reload\n"))
        let texts = try paths.map(text)
        #expect(texts[0].contains("\nListenStream=%t/daybook/socket\n"))
        #expect(texts[0].contains("\nSocketMode=0600\n") && texts[1].contains("\nUMask=0077\n"))
        let read = try Programs.run(
            ["/usr/bin/systemd-analyze", "--user", "--man=no", "verify"] + paths,
            environment: ["XDG_RUNTIME_DIR": scene.folder])
        #expect(read.status == 0 && read.output + read.error == "", "\(read.error)")
        // Tenths: 10 is no confinement.
        let exposure = try Programs.run([
            "/usr/bin/systemd-analyze", "security", "--offline=true", "--threshold=25",
            "--no-pager", paths[1],
        ])
        #expect(exposure.status == 0, "\(exposure.output)")
        #expect(try service("install").status == 0)
        #expect(try paths.map(text) == texts)
    }

    @Test func `the unit's command serves the store that it was installed for`() throws {
        let home = scene.path(#"sto re $x $(x) `y` 100% "q" \z'"#)
        try FileManager.default.moveItem(atPath: scene.home, toPath: home)
        let exec = try #require(
            try service("install", "--json", home: home).object["exec"]?.stringValue)
        #expect(try text(unit("daybook.service")).contains("\nExecStart=\(exec)\n"))
        let path = exec.components(separatedBy: " --home \"")[1].dropLast(" serve".count)
            .replacing("$$", with: "$")
        #expect(try text(unit("daybook.service")).contains("\nReadWritePaths=%h %t \"-\(path)\n"))
        // Systemd and a shell read quotes in the same way, but for these three characters.
        let line = exec.replacing("%%", with: "%").replacing("$$", with: "\\$")
            .replacing("`", with: "\\`")
        let served = try Programs.run(
            ["/bin/sh", "-c", line + " --stdio"],
            input: Array((#"{"jsonrpc":"2.0","id":1,"method":"info"}"# + "\n").utf8))
        #expect(served.status == 0, "\(served.error)")
        #expect(try served.object["result"]?["home"]?.stringValue == home)
    }

    @Test func `a server that runs is to be restarted, and without systemctl units are to be read`()
        throws
    {
        let alone = try Programs.run(
            [Programs.daybook, "service", "install", "--home", scene.home],
            environment: ["PATH": scene.folder, "XDG_CONFIG_HOME": config])
        #expect(alone.lines.filter { $0.hasPrefix("next: ") } == [
            "next: systemctl --user daemon-reload",
            "next: systemctl --user enable --now daybook.socket",
        ])
        try systemctl(service: "active")
        #expect(try service("install").lines.filter { $0.hasPrefix("next: ") } == [
            "next: systemctl --user enable --now daybook.socket",
            "next: systemctl --user restart daybook.service",
        ])
    }

    @Test func `remove stops the service, and deletes what install wrote`() throws {
        try systemctl(service: "inactive")
        #expect(try service("install").status == 0)
        let removed = try service("remove", "--json")
        #expect(removed.status == 0, "\(removed.error)")
        #expect(try removed.object["stopped"] == .bool(true))
        #expect(try removed.object["units"]?.arrayValue?.count == 2)
        #expect(
            calls.hasSuffix(
                """
                --user --quiet disable --now daybook.socket daybook.service
                --user --quiet daemon-reload

                """))
        #expect(try Files.list(config + "/systemd/user").isEmpty)
        #expect(try service("remove").output == "no units were installed\n")
    }

    @Test func `units of somebody else's are neither replaced nor removed`() throws {
        try systemctl(service: "inactive")
        try Files.createDirectories(config + "/systemd/user", mode: 0o700)
        try Data("[Unit]\n".utf8).write(to: URL(filePath: unit("daybook.service")))
        try service("install").expectFailure(1, "fileExists", of: "service install")
        #expect(try service("remove").status == 0)
        #expect(try Files.list(config + "/systemd/user") == ["daybook.service"])
        #expect(try text(unit("daybook.service")) == "[Unit]\n")
    }

    @Test func `a store that is not there is not served`() throws {
        try service("install", home: scene.path("nowhere"))
            .expectFailure(3, "storeMissing", of: "service install")
        #expect(try !Files.exists(config))
    }

    @Test func `status says what systemd knows, and is 1 unless it listens`() throws {
        try systemctl(service: "active")
        let active = try service("status", "--json")
        #expect(active.status == 0, "\(active.error)")
        let units = try active.objects
        #expect(units.map { $0["unit"]?.stringValue } == ["daybook.socket", "daybook.service"])
        #expect(units.map { $0["state"]?.stringValue } == ["active", "active"])
        #expect(units.map { $0["enabled"] } == [.bool(true), .bool(false)])
        #expect(units.map { $0["path"]?.stringValue } == ["/u/daybook.socket", nil])
        try systemctl(service: "inactive", enabled: "disabled")
        let inactive = try service("status")
        #expect(inactive.status == 1)
        #expect(
            inactive.lines == [
                "daybook.socket: inactive, disabled (/u/daybook.socket)",
                "daybook.service: not installed",
            ])
        _ = try scene.write("bin/systemctl", "#!/bin/sh\nexit 1\n")
        try service("status").expectFailure(1, "serviceManagerMissing", of: "service status")
    }

    @Test func `a path that systemd can't be told of is refused`() throws {
        for path in ["/a/d'b", "/a/$x", "/a/\"b", "/a\\b", "/a\nb"] {
            try service("units", "--program", path)
                .expectFailure(1, "pathNotPossible", of: "service units")
        }
        let units = try service("units", "--program", "/a b%/daybook", "--json").objects
        #expect(
            units.last?["text"]?.stringValue?
                .contains("\nExecStart=\"/a b%%/daybook\" serve\n") == true)
    }
}
