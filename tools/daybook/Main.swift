import Daybook
import DaybookCalls
import DaybookCommands

@main
enum Main {
    static func main() async {
        await Program(
            name: "daybook",
            summary: "a wallet backend that writes down what happens, before it happens",
            commands: Command.ofMethods(
                after: [.initialise, .storeCreate, .storeTakeOver],
                before: [
                    .walletExportKeystore, .walletExportDescriptors,
                    .open, Command(.requestPending), .ask, .approve, .sign, .coinList,
                    .label, .labelExport, .labelImport, .priceImport,
                    .balance, .callbacks, .sync, .nodeSet,
                    Command(.sandboxReorganise), .sandboxFault,
                    .log, .export, .import, .archive,
                    .prove, .verify, .backup, .migrate, .doctor, .settings,
                    .serve, .methods,
                    .serviceInstall, .serviceRemove, .serviceStatus, .serviceUnits,
                    .desktopInstall, .desktopRemove, .desktopOpen, .completion, .manual,
                ]),
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
