import DaybookChains
import DaybookCommands
import DaybookEncoding
import DaybookSystem
import NodeSuite

extension Command {
    static let run = Command(
        "run", does: """
            try everything on the given nodes, which must be on regtest
            Blocks are mined, coins paid, spent twice and reorganised: use a network of your own.
            The status is 0 where all of it held, 1 where something did not, 5 where a node can't be
            asked.
            """,
        options: [
            Option("--dash", "URL", "a Dash node on regtest"),
            Option("--dash-user", "U", "its user"),
            Option("--dash-password-file", "F", "its password, or user:password as in .cookie"),
            Option("--axe", "URL", "an Axe node on regtest"),
            Option("--axe-user", "U", "its user"),
            Option("--axe-password-file", "F", "its password, or user:password as in .cookie"),
            Option("--icon", "URL", "an ICON node of a local network, …/api/v3"),
            Option("--icon-debug", "URL", "where it estimates steps, …/api/v3d"),
            Option("--icon-key-file", "F", "the private key of a funded account, in hex"),
            Option("--icon-keystore", "F", "the keystore of a funded account"),
            Option("--icon-passphrase-file", "F", "the passphrase of the keystore"),
            Option("--icon-token", "CX", "a token contract whose tokens the account has"),
        ]
    ) { invocation in
        var nodes: [any TestedNode] = []
        for chain in [Chain.dash, .axe] {
            if let node = try CoreNode(chain, invocation) { nodes.append(node) }
        }
        if let node = try GoloopNode(invocation) { nodes.append(node) }
        guard !nodes.isEmpty else {
            throw CommandFailure.usage("name a node with --dash, --axe or --icon")
        }
        var report = CheckReport(console: invocation.console)
        // Nothing is done to any node before all have shown what they are.
        for node in nodes {
            guard let problem = try await node.problem() else { continue }
            try report.add(node.name, unusable: problem)
        }
        if !report.isUnusable { for node in nodes { try await node.run(into: &report) } }
        return try report.finish()
    }
}

/// A node that was named, with everything that is tried out on it.
protocol TestedNode {
    /// The network's name in the report.
    var name: String { get }

    /// Why it can't be tried out, such as that it is of another chain; nil where it can.
    func problem() async throws -> String?

    func run(into report: inout CheckReport) async throws
}

/// Tries out the clients of real chains on running nodes; `tools/dev test-nodes` calls it.
@main
enum Main {
    static func main() async {
        await Program(
            name: "node-suite",
            summary: "tries out the clients of real chains on running nodes",
            commands: [.run],
            explain: { CommandFailure("failed", .refused, quoting: "\($0)") }
        ).main()
    }
}

/// The folder of the programs that were built with this one.
enum ProgramsFolder {
    static func path() throws -> String {
        Files.parent(of: try Files.resolved("/proc/self/exe"))
    }
}
