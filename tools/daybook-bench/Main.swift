import DaybookCommands

/// Makes large logs with real lives of requests in them, and does timed work on them.
@main
enum Main {
    static func main() async {
        await Program(
            name: "daybook-bench",
            summary: "makes large logs, and measures what Daybook's work costs",
            commands: [.log, .inputs, .measure, .distance],
            explain: CommandFailure.init(explaining:)
        ).main()
    }
}
