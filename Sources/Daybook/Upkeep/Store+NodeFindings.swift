import DaybookNodes

extension Store {
    /// Compares what a store has recorded with the nodes that are set, and corrects what differs.
    ///
    /// Without nodes nothing is opened and nothing found. The rest is as in `syncReachable` with
    /// `full`; `frontEnd` is named in the log.
    ///
    /// - Throws: `settingsInvalid`; other errors of the store are findings.
    public static func examineNodes(
        at path: String, frontEnd: String
    ) async throws(DaybookError) -> [StoreFinding] {
        let nodes: [Node]
        do {
            nodes = try NodeSettings(folder: StoreFolder(path)).nodes()
        } catch {
            throw DaybookError.from(error)
        }
        if nodes.isEmpty { return [] }
        do {
            let round = try await Store(opening: path, frontEnd: frontEnd)
                .syncReachable(full: true)
            return findings(round)
        } catch {
            return [StoreFinding("nodes", .warning, "nothing was compared: \(error.message)")]
        }
    }

    private static func findings(_ round: SyncRound) -> [StoreFinding] {
        let problems = round.problems.filter { $0.code != ChainFailure.Reason.noNode.code }
        var findings = problems.map { problem in
            StoreFinding(
                "nodes", problem.isDistrust ? .problem : .warning,
                "\(problem.chain.rawValue) \(problem.network.rawValue): \(problem.message)",
                advice: problem.advice)
        }
        guard let differences = round.differences else { return findings }
        if let first = differences.first {
            let rest = differences.count > 1 ? ", and \(differences.count - 1) more" : ""
            findings.append(
                StoreFinding(
                    "nodes", .warning,
                    "corrected: \(first.about) was recorded \(first.recorded), and the node says"
                        + " \(first.found)\(rest)",
                    advice: "compare with another node, and see `log`"))
        } else {
            findings.append(
                StoreFinding("nodes", .ok, "what is recorded agrees with the nodes"))
        }
        return findings
    }
}

extension NodeProblem {
    /// Whether the node itself can't be believed, or the one that it was compared with.
    fileprivate var isDistrust: Bool {
        let reasons: [ChainFailure.Reason] = [.contradiction, .omission, .unprovenSpend]
        return reasons.contains { $0.code == code }
    }
}
