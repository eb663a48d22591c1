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
                after: [.initialise, .storeCreate, .storeList, .storeTakeOver],
                before: [
                    .walletExportKeystore, .walletExportDescriptors,
                    .open, Command(.requestPending), .ask, .approve, .sign, .coinList,
                    .label, .labelExport, .labelImport, .priceImport,
                    .balance, .statement, .callbacks, .sync, .nodeSet,
                    Command(.sandboxReorganise), .sandboxFault,
                    .log, .export, .import, .archive,
                    .prove, .verify, .backup, .migrate, .doctor, .settings,
                    .witnessServe, .serve, .page, .methods,
                    .serviceInstall, .serviceRemove, .serviceStatus, .serviceUnits,
                    .desktopInstall, .desktopRemove, .desktopOpen, .completion, .complete,
                    .manual,
                ]),
            options: [Home.option, Home.store, Home.acceptsClock],
            values: [
                "CHAIN": ChainName.allCases.map(\.rawValue),
                "NETWORK": NetworkName.allCases.map(\.rawValue),
                "FORMAT": ExportFileFormat.allCases.map(\.rawValue),
                "FORM": StatementFormat.allCases.map(\.rawValue),
                "STATUS": WalletRequest.Status.allCases.map(\.rawValue),
            ],
            lists: ["W": CompletedList.wallets.rawValue],
            explain: CommandFailure.init(explaining:)
        ).main()
    }
}
