import DaybookCommands

/// The auditor's program: reads a store or an export, and has neither keys nor a network.
@main
enum Main {
    static func main() async {
        await Program(
            name: "daybook-replay",
            summary: "reads a store again and says whether it tells the truth",
            commands: [
                .replay, .verify, .state, .whatIf, .diff, .report, .completion, .manual,
            ],
            explain: CommandFailure.init(explaining:)
        ).main()
    }
}
