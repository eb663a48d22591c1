import DaybookCommands

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
