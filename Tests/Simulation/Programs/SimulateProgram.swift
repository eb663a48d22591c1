internal import DaybookSystem
internal import Simulator

/// Runs seeds, prints what they reached, and shows the first that finds something as short as it
/// can be made.
@main
struct SimulateProgram {
    /// The options after the program's name.
    private struct Options {
        var minutes: UInt64 = 1
        var requests: Int?
        var seed: UInt64?
        var first: UInt64 = 0
        var plant: PlantedBug?
        /// Whether a seed that finds something does not end the run.
        var goesOn = false
    }

    static func main() throws {
        guard let options = options(Process.arguments.map { String(decoding: $0, as: UTF8.self) })
        else {
            print(
                """
                usage: tools/dev simulate [MINUTES] [--requests N] [--seed S | --from S] [--go-on]
                    [--plant NAME]
                plants: \(PlantedBug.allCases.map(\.rawValue).joined(separator: " "))
                """)
            Process.exit(2)
        }
        if let seed = options.seed { show(seed, options.plant) }
        try run(options)
    }

    private static func options(_ words: [String]) -> Options? {
        var options = Options()
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("--") else {
                guard let minutes = UInt64(word) else { return nil }
                options.minutes = minutes
                continue
            }
            if word == "--go-on" {
                options.goesOn = true
                continue
            }
            guard let value = rest.popFirst() else { return nil }
            switch word {
            case "--requests": options.requests = Int(value)
            case "--seed": options.seed = UInt64(value)
            case "--from": options.first = UInt64(value) ?? 0
            case "--plant":
                guard let plant = PlantedBug(rawValue: value) else { return nil }
                options.plant = plant
            default: return nil
            }
        }
        return options
    }

    /// How many seeds the cores share, before the next ones begin and the time is looked at.
    private static let share: UInt64 = 128

    /// Runs seeds on all cores until the time is over or one finds something.
    private static func run(_ options: Options) throws -> Never {
        let start = Clock.monotonicMicroseconds()
        let end = start + options.minutes * 60_000_000
        var coverage = PlaceCounts()
        var seed = options.first
        var (requests, events, found) = (0, 0, 0)
        while options.requests.map({ requests < $0 }) ?? (Clock.monotonicMicroseconds() < end) {
            let outcomes = try Cores.map(Array(seed..<seed + share)) { seed in
                Simulation.run(Scenario(seed: seed), plant: options.plant)
            }
            for outcome in outcomes {
                coverage.add(outcome.coverage)
                requests += outcome.requests
                events += outcome.events
                if !outcome.findings.isEmpty {
                    guard options.goesOn else { show(seed, options.plant) }
                    print("seed \(seed): \(outcome.findings.joined(separator: "; "))")
                    found += 1
                }
                seed += 1
            }
        }
        let micros = max(Clock.monotonicMicroseconds() - start, 1)
        for (name, count) in coverage.counts.sorted(by: { $0.key < $1.key }) {
            print("\(count)\t\(name)")
        }
        let missing = Simulation.marks.filter { !coverage.reached($0) }
        print("never reached: \(missing.isEmpty ? "nothing" : missing.joined(separator: ", "))")
        print(
            "\(seed - options.first) seeds from \(options.first), \(requests) requests, "
                + "\(events) events, \(UInt64(requests) * 1_000_000 / micros) requests a second: "
                + "\(found == 0 ? "nothing" : "\(found) seeds") found")
        Process.exit(found == 0 ? 0 : 1)
    }

    /// Shows what a seed finds, by the fewest steps that find it, and ends the program.
    private static func show(_ seed: UInt64, _ plant: PlantedBug?) -> Never {
        let scenario = Scenario(seed: seed)
        let whole = Simulation.run(scenario, plant: plant)
        guard !whole.findings.isEmpty else {
            print("seed \(seed) finds nothing in \(whole.requests) requests")
            Process.exit(0)
        }
        let short = Simulation.shrink(scenario, plant: plant)
        let outcome = Simulation.run(short, plant: plant, isTold: true)
        for line in outcome.story { print(line) }
        for finding in outcome.findings { print("FOUND: \(finding)") }
        let planted = plant.map { " --plant \($0.rawValue)" } ?? ""
        print(
            "seed \(seed) finds \(whole.findings.count) in \(scenario.steps.count) steps, here in "
                + "\(short.steps.count); again: tools/dev simulate --seed \(seed)\(planted)")
        Process.exit(1)
    }
}
