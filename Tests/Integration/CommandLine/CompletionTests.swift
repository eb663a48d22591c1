import DaybookSystem
import Foundation
import TestSupport
import Testing

/// The scripts that complete command lines, each in its shell; `tools/setup test` installs these.
struct CompletionTests {
    private let folder: String

    init() throws {
        folder = try Files.createTemporaryDirectory()
    }

    /// A line before the cursor, and words that can come there; nil means files.
    private static let lines: [(line: String, words: [String]?)] = [
        ("daybook wal", ["wallet"]),
        ("daybook --home x bum", ["bump"]),
        ("daybook wallet export-d", ["export-descriptors"]),
        ("daybook wallet add --ch", ["--chain"]),
        ("daybook wallet --label wallet add --ch", ["--chain"]),
        ("daybook wallet add --chain d", ["dash"]),
        ("daybook export --format h", ["hledger"]),
        ("daybook export no", nil),
        ("daybook approve 1 --passphrase-file no", nil),
        ("daybook node set icon t", ["testnet"]),
        ("daybook completion f", ["fish"]),
        ("daybook-replay what", ["what-if"]),
        ("daybook-replay verify --k", ["--key"]),
        ("daybook-replay diff one no", nil),
    ]

    private static let bash = """
        source "$1"
        read -ra COMP_WORDS <<<"$2"
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        "_${COMP_WORDS[0]//-/_}"
        printf '%s\\n' "${COMPREPLY[@]}"
        """
    /// The completion system needs a terminal, so its functions are replaced.
    private static let zsh = """
        words=(${=2}); CURRENT=${#words}
        function _files() { print -l -- *(N) | grep "^${words[CURRENT]}" }
        function compadd() { shift; print -l -- "$@" | grep "^${words[CURRENT]}" }
        function _describe() {
            print -l -- ${(P)@[-1]} | sed 's/:.*//' | grep -- "^${words[CURRENT]}"
        }
        function complete_it() { source "$1" }
        complete_it "$1"
        """
    private static let fish = "source $argv[1]; complete -C $argv[2] | string replace -r '\\t.*' ''"

    @Test(arguments: ["bash", "zsh", "fish"])
    func `commands, options, values and files are completed`(shell: String) throws {
        defer { try? Files.removeTree(folder) }
        try Data().write(to: URL(filePath: folder + "/notes.txt"))
        let program = ["bash": Self.bash, "zsh": Self.zsh, "fish": Self.fish][shell] ?? ""
        // Fish has no parameters before the script's own.
        let before = shell == "fish" ? ["--no-config", "-c", program] : ["-c", program, shell]
        for name in ["daybook", "daybook-replay"] {
            let script = try Programs.run(["\(Programs.folder)/\(name)", "completion", shell])
            try Data(script.output.utf8).write(to: URL(filePath: "\(folder)/\(name)"))
        }
        for (line, words) in Self.lines {
            let name = line.prefix { $0 != " " }
            let run = try ProgramRun(
                [shell] + before + ["\(folder)/\(name)", line], in: folder)
            let found = run.output.split(separator: "\n").map(String.init)
            #expect(found == words ?? ["notes.txt"], "\(shell): \(line)")
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `requests and wallets are completed, and a hostile label is only a word`(
        shell: String
    ) throws {
        defer { try? Files.removeTree(folder) }
        let scene = try Scene()
        let request = try scene.pending("dash:\(Scene.payee)?amount=1")
        let hostile = "my$(touch hit)`touch hit`; touch hit *"
        try scene.done("wallet", "rename", "my-axe", hostile)
        let script = try Programs.run([Programs.daybook, "completion", shell])
        try Data(script.output.utf8).write(to: URL(filePath: "\(folder)/daybook"))
        let program = ["bash": Self.bash, "zsh": Self.zsh, "fish": Self.fish][shell] ?? ""
        let before = shell == "fish" ? ["--no-config", "-c", program] : ["-c", program, shell]
        func complete(_ line: String) throws -> [String] {
            let path = EnvironmentVariables.value("PATH") ?? "/usr/bin:/bin"
            let run = try ProgramRun(
                [shell] + before + ["\(folder)/daybook", line], in: folder,
                environment: ["DAYBOOK_HOME": scene.home, "PATH": "\(Programs.folder):\(path)"])
            return run.output.split(separator: "\n").map(String.init)
        }
        #expect(try complete("daybook approve \(request)") == [request])
        #expect(try complete("daybook show \(request)") == [request])
        #expect(try complete("daybook wallet address my-d") == ["my-dash"])
        #expect(try complete("daybook balance --wallet my-i") == ["my-icon"])
        let all = try complete("daybook wallet address my")
        #expect(all.count == 3, "\(all)")
        // Bash takes a word as it would be typed, the others quote it themselves.
        let own = all.first { $0.contains("touch") }
        #expect(shell == "bash" ? own?.contains("\\$\\(touch") == true : own == hostile)
        #expect(try !Files.exists("\(folder)/hit"))
    }

    @Test func `another shell is refused, and JSON has the script`() throws {
        let program = Programs.daybook
        try Programs.run([program, "completion", "csh"]).expectFailure(2, "usage", of: "completion")
        let plain = try Programs.run([program, "completion", "bash"])
        let json = try Programs.run([program, "completion", "bash", "--json"]).object
        #expect(json["script"]?.stringValue == plain.output)
    }
}
