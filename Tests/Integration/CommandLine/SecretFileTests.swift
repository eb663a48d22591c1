import DaybookEncoding
import Foundation
import TestSupport
import Testing

/// Files from which commands read secrets, of which others may read none.
struct SecretFileTests {
    private let scene: Scene

    init() throws { scene = try Scene() }

    @Test func `every option that reads a secret refuses a file that others may use`() throws {
        let request = try scene.pending("dashwallet://pay=\(Scene.payee)&amount=1&sender=shop")
        let secret = try scene.write("secret", "a secret that nobody sees\n")
        let passphrase = ["--passphrase-file", scene.path("passphrase")]
        let words = ["--mnemonic-file", scene.path("passphrase")]
        let keystore = try scene.write("keystore", "{}")
        let calls: [String: [String]] = [
            "wallet add --mnemonic-file": ["--chain", "dash"] + passphrase,
            "wallet add --mnemonic-passphrase-file": ["--chain", "dash"] + words + passphrase,
            "wallet add --wif-file": ["--chain", "dash"] + passphrase,
            "wallet add --key-file": ["--chain", "icon"] + passphrase,
            "wallet add --keystore-passphrase-file":
                ["--chain", "icon", "--keystore", keystore] + passphrase,
            "wallet add --passphrase-file": ["--chain", "dash"] + words,
            "wallet passphrase --passphrase-file": ["my-dash"],
            "wallet passphrase --new-passphrase-file": ["my-dash"] + passphrase,
            "wallet export-keystore --passphrase-file": ["my-icon", scene.path("out")],
            "wallet export-keystore --new-passphrase-file":
                ["my-icon", scene.path("other")] + passphrase,
            "approve --passphrase-file": [request, "--yes"],
            "node set --password-file": ["dash", "regtest", "http://127.0.0.1:1", "--user", "u"],
            "node set --proxy-password-file": [
                "dash", "regtest", "http://127.0.0.1:1", "--proxy", "socks5h://127.0.0.1:1",
            ],
        ]
        // These need a terminal, or what another machine wrote; they read theirs as `approve` does.
        let others: Set<String> = ["ask --passphrase-file", "sign --passphrase-file"]
        var found: Set<String> = []
        for command in try CommandHelp.commands(of: "daybook") {
            for option in command.options where option.name.hasSuffix("-file") {
                found.insert("\(command.name) \(option.name)")
            }
        }
        found = found.filter { !$0.hasSuffix(" --ca-file") }
        #expect(found == Set(calls.keys).union(others))
        for (call, rest) in calls.sorted(by: { $0.key < $1.key }) {
            let words = call.split(separator: " ").map(String.init)
            for mode in [0o644, 0o640, 0o604, 0o620, 0o660] {
                try protect(secret, mode)
                let answer = try Programs.run(
                    [Programs.daybook] + words + [secret] + rest,
                    environment: ["DAYBOOK_HOME": scene.home])
                #expect(answer.status == 2, "\(call): \(answer.error)")
                #expect(answer.code == "fileExposed", "\(call): \(answer.error)")
                #expect(!answer.error.contains("nobody sees"))
            }
            try protect(secret, 0o600)
            let answer = try Programs.run(
                [Programs.daybook] + words + [secret] + rest,
                environment: ["DAYBOOK_HOME": scene.home])
            #expect(answer.code != "fileExposed", "\(call): \(answer.error)")
        }
    }

    @Test func `Core's cookie may be read by its group, and by nobody else`() throws {
        let cookie = try scene.write(".cookie", "__cookie__:password")
        let set = ["node", "set", "dash", "regtest", "http://127.0.0.1:1", "--password-file"]
        for (mode, code) in [(0o640, nil), (0o644, "fileExposed"), (0o660, "fileExposed")] {
            try protect(cookie, mode)
            let answer = try Programs.run(
                [Programs.daybook] + set + [cookie],
                environment: ["DAYBOOK_HOME": scene.home])
            #expect(answer.status == (code == nil ? 0 : 2), "\(answer.error)")
            #expect(answer.code == code, "\(answer.error)")
        }
    }

    @Test func `a new passphrase that nobody can type is refused by name`() throws {
        let words = Bytes("some words".utf8)
        let add = ["wallet", "add", "--chain", "icon", "--new", "--json", "--passphrase-file", "-"]
        let utf16: Bytes = words.flatMap { [$0, 0] as Bytes }
        let contents: [(Bytes, String)] = [
            (words + [10, 10], "line break"), (words + [13, 10, 13, 10], "line break"),
            ([0xef, 0xbb, 0xbf] + words, "byte order mark"), ([0xff, 0xfe] + utf16, "UTF-16"),
            (utf16, "NUL"), (words + [0xe9, 10], "Latin-1"),
        ]
        for (content, fault) in contents {
            let path = try scene.write("new", "")
            try Data(content).write(to: URL(filePath: path))
            try protect(path, 0o600)
            let sets = [
                Array(add.dropLast()) + [path],
                ["wallet", "passphrase", "my-dash", "--json", "--new-passphrase-file", path]
                    + ["--passphrase-file", scene.path("passphrase")],
            ]
            for call in sets {
                let answer = try Programs.run(
                    [Programs.daybook] + call, environment: ["DAYBOOK_HOME": scene.home])
                answer.expectFailure(2, "passphraseUntypable", of: "wallet \(call[1])")
                #expect(answer.error.contains(fault), "\(answer.error)")
            }
        }
        // A key that was sealed with such bytes opens with them: these are only not the right ones.
        let old = try scene.write("old", "some words\n\n")
        try scene.daybook(
            "wallet", "passphrase", "my-dash", "--json", "--passphrase-file", old,
            "--new-passphrase-file", scene.path("passphrase")
        ).expectFailure(4, "wrongPassphrase", of: "wallet passphrase")
    }

    private func protect(_ path: String, _ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
}
