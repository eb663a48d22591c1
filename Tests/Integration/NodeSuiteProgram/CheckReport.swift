import DaybookCommands
import DaybookEncoding
import DaybookSystem
import NodeSuite

/// The checks that passed and those that did not, line by line as they end, and in sum.
struct CheckReport {
    let console: Console
    private var sums: [(node: String, sum: Sum)] = []

    init(console: Console) {
        self.console = console
    }

    /// How a node came out.
    private struct Sum {
        var held = 0
        var failed = 0
        var impossible = 0
        var problem: String?
    }

    /// Takes down how a check came out.
    mutating func add(_ node: String, _ check: String, _ verdict: CheckResult) throws {
        let (word, why): (String, String?) =
            switch verdict {
            case .held: ("held", nil)
            case .failed(let why): ("FAILED", why)
            case .notPossible(let why): ("not checked", why)
            }
        change(node) { sum in
            switch verdict {
            case .held: sum.held += 1
            case .failed: sum.failed += 1
            case .notPossible: sum.impossible += 1
            }
        }
        let line = Console.columns([[padded(node, 4), padded(word, 11), check]])
        try console.result(
            .record([
                "node": .string(node), "check": .string(check), "outcome": .string(word),
                "why": why.map { .string($0) },
            ]),
            why.map { "\(line): \($0)" } ?? line)
    }

    /// Whether a node can't be asked.
    var isUnusable: Bool { sums.contains { $0.sum.problem != nil } }

    /// Takes down that a node can't be asked, and so nothing was tried.
    mutating func add(_ node: String, unusable why: String) throws {
        change(node) { $0.problem = why }
        try console.note("\(node) can't be asked: \(why)")
    }

    /// Prints the table of all nodes; the status that it comes to.
    func finish() throws -> ExitStatus {
        var rows = [["node", "held", "failed", "not checked"]]
        for (node, sum) in sums {
            let isReached = sum.problem == nil
            rows.append(
                isReached
                    ? [node, "\(sum.held)", "\(sum.failed)", "\(sum.impossible)"]
                    : [node, "can't be asked"])
        }
        try console.text("\n" + Console.columns(rows))
        if sums.contains(where: { $0.sum.problem != nil }) { return .node }
        return sums.contains { $0.sum.failed > 0 } ? .refused : .done
    }

    private mutating func change(_ node: String, _ body: (inout Sum) -> Void) {
        if !sums.contains(where: { Text.equal($0.node, node) }) { sums.append((node, Sum())) }
        for index in sums.indices where Text.equal(sums[index].node, node) {
            body(&sums[index].sum)
        }
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
