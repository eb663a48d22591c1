import DaybookCommands
import DaybookEncoding
import DaybookSystem

/// The units by which systemd runs `daybook serve` for a user, as systemd.unit(5) says.
///
/// systemd listens at the socket, and starts the server when the first front end connects.
struct ServiceUnits {
    static let socketName = "daybook.socket"
    static let serviceName = "daybook.service"
    /// Marks our own units; others are neither replaced nor removed.
    private static let mark =
        "# Written by `daybook service`; to change settings, use `systemctl --user edit`."

    /// The command that systemd runs.
    let exec: String
    /// The paths that the server may write to.
    private let writable: String
    /// Whether it has a `/tmp` of its own, in which it would not see a store.
    private let hasOwnTemporaryFolder: Bool

    /// The units for a program and a store; nil for the usual one.
    init(program: String, home: String? = nil) throws(CommandFailure) {
        // In the program's path systemd takes neither these characters nor any escape of them.
        if program.utf8.contains(where: { #""'\$"#.utf8.contains($0) }) {
            throw Self.impossible(program)
        }
        var quoted: [String] = []
        let words = home.map { ["--home", $0] } ?? []
        for word in [program] + words + ["serve"] { quoted.append(try Self.quoted(word)) }
        exec = quoted.joined(separator: " ")
        // The server itself says that a store is missing.
        var writable = ["%h", "%t"]
        if let home { writable.append(try Self.quotedPath("-" + home)) }
        self.writable = writable.joined(separator: " ")
        hasOwnTemporaryFolder = !["/tmp/", "/var/tmp/"].contains { home?.hasPrefix($0) == true }
    }

    /// The names of the units with their texts.
    var texts: [(name: String, text: String)] {
        [(Self.socketName, socket), (Self.serviceName, service)]
    }

    private var socket: String {
        """
        \(Self.mark)
        [Unit]
        Description=The socket of Daybook's front ends
        Documentation=man:daybook(1)

        [Socket]
        ListenStream=%t/daybook/socket
        DirectoryMode=0700
        SocketMode=0600

        [Install]
        WantedBy=sockets.target

        """
    }

    private var service: String {
        """
        \(Self.mark)
        [Unit]
        Description=Daybook: answers the front ends of a wallet on a socket
        Documentation=man:daybook(1)
        Requires=daybook.socket
        After=daybook.socket

        [Service]
        ExecStart=\(exec)
        Restart=on-failure
        RestartSec=5
        UMask=0077
        \(hardening)

        [Install]
        WantedBy=default.target

        """
    }

    /// The server's restrictions, by systemd.exec(5): it needs its own files and the network.
    ///
    /// A user's manager confines only with `PrivateUsers`. `ProtectKernelLogs` is missing, because
    /// with it no unit starts in a container that hides `/proc/kmsg`.
    private var hardening: String {
        """
        NoNewPrivileges=yes
        PrivateUsers=yes
        CapabilityBoundingSet=
        ProtectSystem=strict
        ReadWritePaths=\(writable)
        ProtectProc=invisible
        PrivateTmp=\(hasOwnTemporaryFolder ? "yes" : "no")
        PrivateDevices=yes
        ProtectClock=yes
        ProtectHostname=yes
        ProtectKernelModules=yes
        ProtectKernelTunables=yes
        ProtectControlGroups=yes
        MemoryDenyWriteExecute=yes
        LockPersonality=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        RestrictNamespaces=yes
        RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
        SystemCallArchitectures=native
        SystemCallFilter=@system-service
        SystemCallFilter=~@privileged
        SystemCallErrorNumber=EPERM
        """
    }

    /// A word of `ReadWritePaths`, in which systemd knows no variables.
    private static func quotedPath(_ path: String) throws(CommandFailure) -> String {
        try quoted(path).replacing("$$", with: "$")
    }

    /// A word of `ExecStart`, in quotes unless it is plain, by systemd.service(5).
    private static func quoted(_ word: String) throws(CommandFailure) -> String {
        var text = ""
        for scalar in word.unicodeScalars {
            switch scalar {
            case "%", "$": text += "\(scalar)\(scalar)"
            case "\"", "\\": text += "\\\(scalar)"
            default:
                if scalar.value < 0x20 || scalar.value == 0x7f { throw impossible(word) }
                text.unicodeScalars.append(scalar)
            }
        }
        return text.utf8.contains(where: { " '\"\\;".utf8.contains($0) }) ? "\"\(text)\"" : text
    }

    private static func impossible(_ path: String) -> CommandFailure {
        CommandFailure(
            "pathNotPossible", .refused,
            "systemd can't be told of a path like '\(CommandFailure.quoted(path))'")
    }
}

// MARK: - Files

extension ServiceUnits {
    /// The folder of the user's own units, which come before those of packages.
    static func folder() throws(CommandFailure) -> String {
        try UserFolder.config.needed() + "/systemd/user"
    }

    /// Writes the units; returns their paths.
    func install() throws -> [String] {
        let folder = try Self.folder()
        for (name, _) in texts where try Self.isForeign("\(folder)/\(name)") {
            throw CommandFailure(
                "fileExists", .refused,
                "the unit at \(CommandFailure.quoted("\(folder)/\(name)")) is somebody else's")
        }
        try Files.createDirectories(folder, mode: 0o700)
        for (name, text) in texts {
            try Files.writeAtomically("\(folder)/\(name)", Array(text.utf8), mode: 0o644)
        }
        return texts.map { "\(folder)/\($0.name)" }
    }

    /// The paths of the units that `install` has written.
    static func installed() throws -> [String] {
        let folder = try folder()
        return try [socketName, serviceName].map { "\(folder)/\($0)" }.filter { path in
            try Files.exists(path) && !isForeign(path)
        }
    }

    private static func isForeign(_ path: String) throws -> Bool {
        guard try Files.exists(path) else { return false }
        return try Files.readPrefix(path, count: mark.utf8.count) != Array(mark.utf8)
    }
}
