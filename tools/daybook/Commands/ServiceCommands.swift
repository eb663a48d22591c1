import DaybookCommands
import DaybookEncoding
import DaybookSystem

extension Command {
    static let serviceInstall = Command(
        "service install", does: """
            write the user units by which systemd serves the store
            They call this program for this store, and come before those of a package. systemd
            listens at the usual socket, and starts the server when a front end connects. Install
            again if the program or the store has moved.
            """,
        changes: true
    ) { invocation in
        let units = try ServiceUnits(
            program: try Files.resolved("/proc/self/exe"),
            home: try Home.resolved(invocation))
        let paths = try units.install()
        var next = ["systemctl --user enable --now \(ServiceUnits.socketName)"]
        if try UserManager.call("daemon-reload") != nil {
            // A server that runs is still the old one.
            next += try UserManager.isActive(ServiceUnits.serviceName)
                ? ["systemctl --user restart \(ServiceUnits.serviceName)"] : []
        } else {
            next.insert("systemctl --user daemon-reload", at: 0)
        }
        try invocation.console.result(
            .record([
                "units": .array(paths.map(JSON.string)), "exec": .string(units.exec),
                "next": .array(next.map(JSON.string)),
            ]),
            (paths.map { "wrote \($0)" } + ["runs: \(units.exec)"] + next.map { "next: \($0)" })
                .joined(separator: "\n"))
        return .done
    }

    static let serviceRemove = Command(
        "service remove", does: """
            stop the service and undo `service install`
            Units of a package remain; they are stopped too, and no longer enabled.
            """,
        changes: true
    ) { invocation in
        let isStopped = try UserManager.call(
            "disable", "--now", ServiceUnits.socketName, ServiceUnits.serviceName) != nil
        let paths = try ServiceUnits.installed()
        for path in paths { try Files.remove(path) }
        _ = try UserManager.call("daemon-reload")
        var lines: [TerminalText] = paths.map { "removed \($0)" }
        if lines.isEmpty { lines.append("no units were installed") }
        if !isStopped { lines.append("systemctl --user has stopped nothing") }
        try invocation.console.result(
            .record([
                "units": .array(paths.map(JSON.string)), "stopped": .bool(isStopped),
            ]), lines.joined(separator: "\n"))
        return .done
    }

    static let serviceStatus = Command(
        "service status", does: """
            say whether systemd serves the store, and by which units
            The status is 1 unless systemd listens at the socket.
            """
    ) { invocation in
        guard let units = try UserManager.units() else {
            throw CommandFailure(
                "serviceManagerMissing", .refused, "systemctl --user gives no answer here")
        }
        for unit in units {
            try invocation.console.result(unit.json, unit.text)
        }
        let socket = units.first { $0.name == ServiceUnits.socketName }
        return socket?.isActive == true ? .done : .refused
    }

    static let serviceUnits = Command(
        "service units", does: """
            print the units for all users, each with the usual store
            So `tools/install` and the Debian package have them.
            """,
        options: [Option("--program", "PATH", "the program that they call; else this one")]
    ) { invocation in
        let units = try ServiceUnits(
            program: invocation.value("--program") ?? Files.resolved("/proc/self/exe"))
        for (name, text) in units.texts {
            try invocation.console.result(
                .record(["unit": .string(name), "text": .string(text)]),
                "# \(name)\n\(TerminalText(lines: text))")
        }
        return .done
    }
}

/// systemd's manager of the user's services, asked by `systemctl`.
private enum UserManager {
    /// A unit as the manager knows it.
    struct Unit {
        let name: String
        /// The file that it was read from; empty if there is none.
        let path: String
        /// Such as `active`, `inactive` and `failed`.
        let state: String
        /// Such as `enabled` and `disabled`; empty if there is no file.
        let enabled: String

        var isActive: Bool { state == "active" }

        var json: JSON {
            .record([
                "unit": .string(name), "path": path.isEmpty ? nil : .string(path),
                "state": .string(state), "enabled": .bool(enabled == "enabled"),
            ])
        }

        var text: TerminalText {
            path.isEmpty
                ? "\(name): not installed" : "\(name): \(state), \(enabled) (\(path))"
        }
    }

    /// The output of `systemctl --user`; nil if it is missing, or its call fails.
    static func call(_ words: String...) throws -> String? {
        guard let program = ExternalProgram(named: "systemctl") else { return nil }
        let (status, output) = try program.run(["--user", "--quiet"] + words)
        return status == 0 ? String(decoding: output, as: UTF8.self) : nil
    }

    /// Our units; nil if the manager gives no answer.
    static func units() throws -> [Unit]? {
        let output = try call(
            "show", "--property=Id,FragmentPath,ActiveState,UnitFileState",
            ServiceUnits.socketName, ServiceUnits.serviceName)
        // A unit's lines are `Name=value`, and an empty line is between two units.
        return output?.split(separator: "\n\n").map { block in
            func value(_ name: String) -> String {
                let line = block.split(separator: "\n").first { $0.hasPrefix(name + "=") }
                return line.map { String($0.dropFirst(name.utf8.count + 1)) } ?? ""
            }
            return Unit(
                name: value("Id"), path: value("FragmentPath"), state: value("ActiveState"),
                enabled: value("UnitFileState"))
        }
    }

    static func isActive(_ name: String) throws -> Bool {
        try units()?.contains { $0.name == name && $0.isActive } == true
    }
}
