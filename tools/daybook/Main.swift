import Daybook
import DaybookCalls
import DaybookCommands

@main
enum Main {
    static func main() async {
        await Program(
            name: "daybook",
            summary: "a wallet backend that writes down what happens, before it happens",
            commands: [
                .initialise, .storeCreate, .storeTakeOver,
                .walletAdd, .walletList, .walletAddress, .walletRename,
                .walletRemove, .walletPassphrase,
                .walletExportKeystore, .walletExportDescriptors,
                .open, .pending, .requests, .show, .prompt, .ask, .approve, .reject, .bump,
                .cancel, .sign, .history,
                .coinList, .coinFreeze, .coinUnfreeze, .balance, .bindings, .callbacks, .sync,
                .nodeSet, .nodeRemove, .nodeList, .nodeCheck,
                .sandboxFund, .sandboxMine, .sandboxReorganise, .sandboxFault,
                .log, .export, .import, .archive,
                .checkpoint, .prove, .verify, .backup, .migrate, .doctor, .settings,
                .serve, .serviceInstall, .serviceRemove, .serviceStatus, .serviceUnits,
                .desktopInstall, .desktopRemove, .desktopOpen, .completion, .manual,
            ],
            options: [Home.option, Home.store, Home.acceptsClock],
            values: [
                "CHAIN": ChainName.allCases.map(\.rawValue),
                "NETWORK": NetworkName.allCases.map(\.rawValue),
                "FORMAT": ExportFileFormat.allCases.map(\.rawValue),
            ],
            explain: CommandFailure.init(explaining:)
        ).main()
    }
}
