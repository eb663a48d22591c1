import DaybookCommands
import DaybookSystem

/// Tries out the clients of real chains on running nodes; `tools/test-nodes` calls it.
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

/// The programs that were built with this one.
enum Programs {
    /// The folder that they are in.
    static func folder() throws -> String {
        Files.parent(of: try Files.resolved("/proc/self/exe"))
    }
}
