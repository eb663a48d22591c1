package import Daybook
package import DaybookCommands
import DaybookEncoding

extension SyncRound {
    package func text(_ tips: [ChainTip]) -> TerminalText {
        let heights: [TerminalText] = tips.map { "\($0.chain) at block \($0.height)" }
        return "\(events) new events; \(heights.joined(separator: ", "))"
    }

    /// The round as `sync` shows it.
    func report(_ tips: [ChainTip]) -> TerminalText {
        let more: [TerminalText] = isMoreLeft ? ["there is more to ask about: sync again"] : []
        let heights: [TerminalText] = tips.map { "\($0.chain) is at block \($0.height)" }
        let lines = heights + payments.map(\.text) + differenceLines + more
        return (["\(events) new events"] + lines).joined(separator: "\n")
    }

    /// The findings of a comparison of everything; no lines if there was none.
    fileprivate var differenceLines: [TerminalText] {
        guard let differences else { return [] }
        return differences.isEmpty
            ? ["everything that is recorded agrees with the nodes"] : corrections
    }

    /// A line for each recorded fact that was corrected.
    package var corrections: [TerminalText] {
        (differences ?? []).map { difference in
            "\(difference.chain.rawValue) \(difference.network.rawValue): corrected: of "
                + "\(Text.escaped(difference.sentence))"
        }
    }

    /// The problems of nodes: of chains without an answer, and of nodes that others served for.
    package struct Problems {
        fileprivate var problems: [NodeProblem] = []
        fileprivate var passedOver: [NodeProblem] = []
        fileprivate var setAside: [SetAsidePart] = []

        package init() {}
    }

    package var allProblems: Problems {
        var all = Problems()
        (all.problems, all.passedOver, all.setAside) = (problems, passedOver, setAside)
        return all
    }

    /// A line for each problem, except the first, which the command's failure reports.
    var asides: [TerminalText] {
        var first = Problems()
        first.problems = Array(problems.prefix(1))
        return changes(since: first)
    }

    /// A line for each problem that is new, and for each that was solved.
    package func changes(since known: Problems) -> [TerminalText] {
        let new = problems.filter { problem in
            !known.problems.contains { $0.isSameNode(as: problem) && $0.code == problem.code }
        }
        let newlyPassedOver = passedOver.filter { problem in
            !known.passedOver.contains { $0.url == problem.url && $0.code == problem.code }
        }
        let solved = known.problems.filter { problem in
            !problems.contains { $0.isSameNode(as: problem) }
        }
        return new.map { "\($0.place): \($0.sentence)" }
            + newlyPassedOver.map(\.passedOverText)
            + setAside.filter { !known.setAside.contains($0) }.map(\.text)
            + solved.map { "\($0.place): the node answers again" }
    }
}

extension SetAsidePart {
    fileprivate var text: TerminalText {
        "\(chain.rawValue) \(network.rawValue): \(Text.escaped(sentence))"
    }
}

extension NodeProblem {
    /// The message that another node of the chain is asked instead, and why.
    package var passedOverText: TerminalText {
        "\(place): passed over \(Text.escaped(url ?? "")): \(sentence)"
    }

    fileprivate var place: String { "\(chain.rawValue) \(network.rawValue)" }

    fileprivate func isSameNode(as other: NodeProblem) -> Bool {
        chain == other.chain && network == other.network
    }
}
