import DaybookDomain
import DaybookReplay

/// Runs scripts, and makes those that find something as short as they can be.
package enum Simulation {
    /// The result of a script.
    package struct Outcome: Sendable {
        package let findings: [String]
        package let requests: Int
        package let events: Int
        package let coverage: PlaceCounts
        package let story: [String]
    }

    /// Runs a script to its end, or to the step at which something is found.
    package static func run(
        _ script: Scenario, plant: PlantedBug? = nil, isTold: Bool = false
    ) -> Outcome {
        do {
            let computer = try SimulatedComputer(script, plant: plant, isTold: isTold)
            defer { computer.end() }
            for step in script.steps where computer.model.findings.isEmpty { computer.run(step) }
            if computer.model.findings.isEmpty { try computer.settle() }
            if computer.model.findings.isEmpty { try computer.judge() }
            return Outcome(
                findings: computer.model.findings, requests: computer.received,
                events: computer.model.records.count, coverage: computer.coverage,
                story: computer.story)
        } catch {
            return Outcome(
                findings: ["the simulation fails: \(error)"], requests: 0, events: 0,
                coverage: PlaceCounts(), story: [])
        }
    }

    /// The fewest steps of a script that still find something of the same kind.
    package static func shrink(_ script: Scenario, plant: PlantedBug? = nil) -> Scenario {
        guard let wanted = run(script, plant: plant).findings.first.map(kind) else {
            return script
        }
        var shortest = script
        var size = max(script.steps.count / 2, 1)
        while true {
            var start = 0
            var hasShrunk = false
            while start < shortest.steps.count {
                var shorter = shortest
                let end = min(start + size, shorter.steps.count)
                shorter.steps.removeSubrange(start..<end)
                if run(shorter, plant: plant).findings.first.map(kind) == wanted {
                    shortest = shorter
                    hasShrunk = true
                } else {
                    start += size
                }
            }
            if size == 1, !hasShrunk { return shortest }
            size = max(size / 2, 1)
        }
    }

    /// A finding without its numbers.
    private static func kind(_ finding: String) -> String {
        finding.filter { !$0.isNumber }
    }

    /// Everything that a script can reach and that ought to be reached by many.
    package static let marks: [String] =
        Payload.types.map { "event: \($0)" } + Refusal.Code.allCases.map { "code: \($0.rawValue)" }
        + HistoryMeaning.Kind.allCases.map { "history: \($0.rawValue)" }
        + Movement.Kind.allCases.map { "movement: \($0.rawValue)" }
}
