import Daybook
import DaybookCommands
import DaybookPage
import DaybookSystem

/// The services of `serve` for its operator: a log on standard error, and metrics by HTTP.
struct ServerMonitoring {
    static let options = [
        Command.Option(
            "--metrics", "HOST:PORT",
            "serve GET /metrics and /health at an address of this machine, such as 127.0.0.1:9464"),
        Command.Option("--log-format", "text|json", "the lines on standard error: text, or json"),
    ]

    /// The values of `--log-format`.
    private enum LogFormat: String, CaseIterable {
        case text, json
    }

    let activity: StoreActivity
    private let log: OperatorLog
    private let lines = LineQueue(to: StandardStreams.Output.error.rawValue)
    /// The address of `--metrics`.
    private let place: String?

    init(_ invocation: Invocation, ofManyLogs: Bool) throws(CommandFailure) {
        let form: OperatorLog.Form
        var format = LogFormat.text
        if let word = invocation.value("--log-format") {
            format = try WordChoice.named(word, for: "--log-format")
        }
        switch format {
        case .json: form = .json
        case .text: form = StandardStreams.isErrorJournal ? .journal : .text
        }
        place = invocation.value("--metrics")
        log = OperatorLog(as: form) { [lines] in lines.add($0) }
        activity = StoreActivity(telling: log, ofManyLogs: ofManyLogs)
    }

    /// Begins to serve metrics, to which `add` adds those of the stores; nil without `--metrics`.
    func metrics(
        _ add: @escaping @Sendable (inout MetricsText) -> Void,
        problem: @escaping @Sendable () -> DaybookError?
    ) throws(CommandFailure) -> MetricsServer? {
        guard let place else { return nil }
        let answers = MetricsServer.Answers(
            metrics: { [activity] in
                var text = MetricsText(of: activity, version: Program.version)
                add(&text)
                return text
            }, problem: problem)
        return try MetricsServer(at: place, answers)
    }

    /// Says that the server answers, and whether it can do no more than read.
    func started(isReadOnly: Bool) {
        log.note(.serverStarted)
        if isReadOnly { log.note(.storeReadOnly) }
    }

    /// Writes what was counted, every second, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(1))
            activity.tick(lostLines: lines.takeLost())
        }
    }

    /// Says that the server has stopped, and waits a second at most until somebody took it.
    func stopped() async {
        log.finish()
        log.note(.serverStopped)
        await lines.finish(within: 1)
    }
}
