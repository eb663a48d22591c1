import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookLog
import DaybookReplay
import DaybookSystem

/// Metrics in Prometheus's text format, version 0.0.4.
///
/// https://prometheus.io/docs/instrumenting/exposition_formats/
package struct MetricsText: Sendable {
    private var samples: [Metric: [String]] = [:]

    /// The metrics of a process.
    package init(of activity: StoreActivity, version: String) {
        let counts = activity.counts
        let engine = String(Engine.current)
        add(.info, 1, ["version": version, "engine": engine])
        add(.start, seconds: activity.start)
        for outcome in RequestOutcome.allCases {
            add(.requests, counts.outcomes[outcome] ?? 0, ["outcome": outcome.rawValue])
        }
        add(.refusals, counts.refusals)
        add(.failedCalls, counts.failedCalls)
        add(counts.commits)
        for (node, course) in counts.nodes { add(node, course) }
        add(.subscribers, UInt64(clamping: counts.subscribers))
        add(.droppedSubscribers, counts.droppedSubscribers)
        add(.lockouts, counts.lockouts)
        add(.lostLines, counts.lostLines)
    }

    /// The text, with a type and a help for each metric that has a value.
    package var text: String {
        Metric.allCases.map { metric in
            guard let lines = samples[metric] else { return "" }
            let head = "# HELP \(metric.rawValue) \(metric.help)\n"
                + "# TYPE \(metric.rawValue) \(metric.kind.rawValue)\n"
            // The parts of a histogram have an order of their own.
            let ordered = metric.kind == .histogram ? lines : lines.sorted()
            return head + ordered.map { $0 + "\n" }.joined()
        }.joined()
    }

    package mutating func add(
        _ metric: Metric, _ value: UInt64, _ labels: KeyValuePairs<String, String> = [:]
    ) {
        add(metric, String(value), labels)
    }

    private mutating func add(_ metric: Metric, _ counts: [String: UInt64]) {
        for (code, count) in counts { add(metric, count, ["code": code]) }
    }

    /// A time or a duration, given in microseconds.
    private mutating func add(
        _ metric: Metric, seconds microseconds: UInt64,
        _ labels: KeyValuePairs<String, String> = [:]
    ) {
        add(metric, Self.seconds(microseconds), labels)
    }

    private mutating func add(
        _ metric: Metric, _ value: String, _ labels: KeyValuePairs<String, String>
    ) {
        samples[metric, default: []].append("\(metric.rawValue)\(Self.text(labels)) \(value)")
    }

    private mutating func add(_ times: CommitTimes) {
        let name = Metric.commitTimes.rawValue
        var lines: [String] = []
        var sum: UInt64 = 0
        for (bound, count) in zip(CommitTimes.bounds, times.counts) {
            sum += count
            lines.append("\(name)_bucket{le=\"\(Self.seconds(bound))\"} \(sum)")
        }
        lines.append("\(name)_bucket{le=\"+Inf\"} \(times.count)")
        lines.append("\(name)_sum \(Self.seconds(times.sum))")
        lines.append("\(name)_count \(times.count)")
        samples[.commitTimes] = lines
        add(.failedCommits, times.failed)
    }

    private mutating func add(_ node: NodeNumber, _ course: NodeCourse) {
        func labels() -> KeyValuePairs<String, String> {
            [
                "chain": node.chain.chainName.rawValue,
                "network": node.chain.networkName.rawValue, "node": String(node.number),
            ]
        }
        add(.nodeUp, course.isUp ? 1 : 0, labels())
        if let height = course.height { add(.nodeHeight, height, labels()) }
        if let answered = course.answered { add(.nodeAnswered, seconds: answered, labels()) }
    }

    private static func text(_ labels: KeyValuePairs<String, String>) -> String {
        if labels.isEmpty { return "" }
        let pairs = labels.map { name, value in
            let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
                .replacing("\n", with: "\\n")
            return "\(name)=\"\(escaped)\""
        }
        return "{\(pairs.joined(separator: ","))}"
    }

    /// Microseconds as seconds, without rounding.
    private static func seconds(_ microseconds: UInt64) -> String {
        DecimalAmount.format(UInt256(microseconds), decimals: 6)
    }
}

extension MetricsText {
    /// Adds what the log of a store says.
    ///
    /// - Throws: `storeDamaged`, and what else keeps the log from being read.
    package mutating func add(_ store: Store) throws(DaybookError) {
        do {
            try store.log.read(.published) { log in
                try log.withState { state in
                    add(state, at: Clock.nowMicroseconds())
                    add(.events, log.count)
                    guard let (position, checkpoint) = try log.lastCheckpoint(),
                        let record = try log.record(at: position.number)
                    else { return }
                    add(.checkpointEvents, checkpoint.size)
                    add(.checkpointTime, seconds: record.time)
                }
            }
            for part in ["log", "derived"] {
                let file = try Files.information("\(store.path)/\(part)/data.mdb")
                if let file { add(.bytes, UInt64(clamping: file.size), ["part": part]) }
            }
        } catch {
            throw DaybookError.from(error)
        }
    }

    private mutating func add(_ state: State, at now: UInt64) {
        add(.pending, UInt64(state.pending.keys().count))
        add(.inFlight, UInt64(state.inFlight().count))
        let locked = state.unlocks.rows().count { $0.row.lockedUntil.map { $0 > now } ?? false }
        add(.lockedWallets, UInt64(locked))
        for (chain, row) in state.chains.rows() {
            func labels() -> KeyValuePairs<String, String> {
                ["chain": chain.chainName.rawValue, "network": chain.networkName.rawValue]
            }
            add(.chainUp, row.outage == nil ? 1 : 0, labels())
            add(.chainHeight, row.height, labels())
        }
    }
}
