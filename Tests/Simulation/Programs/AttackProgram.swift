internal import Attacks
internal import DaybookSystem

/// Carries out attacks for some minutes and prints what came of each kind.
///
/// It keeps a journal: restarted after a trap, it counts the trap as a finding and continues.
@main
struct AttackProgram {
    /// The options after the program's name.
    private struct Options {
        var minutes: UInt64?
        var seed: UInt64 = 1
        var count: Int?
        var guesses: UInt64 = 10_000
        var only: Int?
        var plant: Weakness.Name?
        var journal: String?
        var matching: String?
    }

    static let usage = """
        usage: tools/dev attacks [MINUTES] [--seed S] [--count N] [--kind TEXT] [--only NUMBER]
            [--plant NAME]

        Alters a store and its world, then approves as a user would who reads the prompts, and
        judges by the chains what left and by every text what callers were given. Before that,
        several processes guess passphrases, unlock, lock and pay in drawn interleavings.

            MINUTES       how long (5), or until every attack was carried out
            --seed S      which attacks come first (1)
            --count N     how many attacks
            --guesses N   how many interleavings of guesses (10 000)
            --kind TEXT   only kinds with this in their name
            --only NUMBER one attack, in words
            --plant NAME  with a weakness that must be found: \
        \(Weakness.Name.allCases.map(\.rawValue).joined(separator: ", "))

        The status is 1 when something was found. The report names each attack by its number.
        """

    static func main() async throws {
        let words = Process.arguments.map { String(decoding: $0, as: UTF8.self) }
        guard let options = options(words) else {
            print(usage)
            Process.exit(words.contains("--help") ? 0 : 2)
        }
        if options.only == nil, options.plant == nil, options.guesses > 0 {
            guard try await guess(options) else { Process.exit(1) }
        }
        let folder = "\(scratch)/daybook-attacks-\(Process.identifier)"
        try Files.createDirectories(folder, mode: 0o700)
        defer { try? Files.removeTree(folder) }
        let campaign = try await Campaign(in: folder)
        for verdict in try await campaign.runHonestly() where verdict.answer != .harmless {
            print("an unaltered store: \(verdict.answer) \(verdict.findings) \(verdict.story)")
            try? Files.removeTree(folder)
            Process.exit(1)
        }
        let status = try await run(campaign, options)
        try? Files.removeTree(folder)
        Process.exit(status)
    }

    /// In memory where there is room for that.
    private static var scratch: String {
        ((try? Files.exists("/dev/shm")) ?? false) ? "/dev/shm" : "/tmp"
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
            guard let value = rest.popFirst() else { return nil }
            switch word {
            case "--seed": options.seed = UInt64(value) ?? 1
            case "--count": options.count = Int(value)
            case "--guesses": options.guesses = UInt64(value) ?? 0
            case "--only": options.only = Int(value)
            case "--journal": options.journal = value
            case "--kind": options.matching = value
            case "--plant":
                guard let plant = Weakness.Name(rawValue: value) else { return nil }
                options.plant = plant
            default: return nil
            }
        }
        return options
    }

    /// Runs interleavings of guesses on all processors; false if one breaks a law.
    ///
    /// The journal says whether that was done before a trap.
    private static func guess(_ options: Options) async throws -> Bool {
        if let path = options.journal {
            let journal = String(decoding: try Files.read(path, limit: 1 << 30), as: UTF8.self)
            if journal.contains("guesses ended") { return true }
            if journal.contains("guesses begun") {
                print("the interleavings of guesses were ended by a trap")
                return false
            }
            try StandardStreams.write("guesses begun\n", to: .error)
        }
        let scene = try await GuessingScene()
        let cores = UInt64(Process.cores)
        let size = (options.guesses + cores - 1) / cores
        let findings = try await withThrowingTaskGroup(of: [UInt64: [String]].self) { group in
            for part in 0..<cores {
                let first = options.seed + part * size
                group.addTask { try scene.run(first..<first + size).findings }
            }
            return try await group.reduce(into: [:]) { all, some in
                all.merge(some) { first, _ in first }
            }
        }
        for seed in findings.keys.sorted() { print("seed \(seed)\t\(findings[seed] ?? [])") }
        print("\(size * cores) interleavings of guesses: \(findings.count) found something")
        if options.journal != nil { try StandardStreams.write("guesses ended\n", to: .error) }
        return findings.isEmpty
    }

    private static func run(_ campaign: Campaign, _ options: Options) async throws -> Int32 {
        if let number = options.only {
            guard number < campaign.count else {
                print("there are \(campaign.count) attacks")
                return 2
            }
            let verdict = try await campaign.run(number, plant: options.plant)
            print("\(number) \(campaign.title(number))")
            for line in verdict.story { print("    \(line)") }
            for finding in verdict.findings { print("FOUND: \(finding)") }
            print(verdict.answer.rawValue)
            return verdict.findings.isEmpty ? 0 : 1
        }
        var order = campaign.order(seed: options.seed)
        if let text = options.matching { order.removeAll { !campaign.kind($0).contains(text) } }
        if let count = options.count { order = Array(order.prefix(count)) }
        let minutes = options.minutes ?? (options.count == nil ? 5 : 100_000)
        let tally = try Tally(campaign, journal: options.journal)
        try await tally.run(
            order, until: Clock.monotonicMicroseconds() + minutes * 60_000_000, options.plant)
        return tally.report(of: order.count)
    }
}
