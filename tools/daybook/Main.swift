import DaybookCalls
import DaybookCommands

@main
enum Main {
    static func main() async {
        await Program(
            name: "daybook",
            summary: "a wallet backend that writes down what happens, before it happens",
            commands: [
                .initialise, .walletAdd, .walletList, .walletAddress, .walletPassphrase,
                .walletExportKeystore, .walletExportDescriptors,
                .open, .pending, .show, .approve, .reject, .bump, .cancel, .sign,
                .balance, .bindings, .callbacks, .sync,
                .nodeSet, .nodeRemove, .nodeList, .nodeCheck,
                .sandboxFund, .sandboxMine, .sandboxReorganise, .sandboxFault,
                .log, .export, .import,
                .checkpoint, .prove, .verify, .backup, .migrate, .doctor, .settings,
                .serve,
                .desktopInstall, .desktopRemove,
            ],
            options: [Home.option, Home.acceptsClock],
            explain: CommandFailure.init(explaining:)
        ).main()
    }
}
