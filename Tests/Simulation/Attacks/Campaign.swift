import DaybookChains
import DaybookEncoding
import DaybookSystem
import TestSupport

/// All attacks on a store, in one order; a seed says which come first.
package struct Campaign: Sendable {
    let attacks: [Attack]
    private let scenes: [AttackScene]

    /// Makes the stores that are attacked below a folder, and thinks of all attacks.
    package init(in folder: String) async throws {
        var attacks: [Attack] = []
        var scenes: [AttackScene] = []
        for network in [Network.sandbox, .regtest] {
            let (owner, thief) = (try Owner.user(network), try Owner.attacker(network))
            let scene = try await AttackScene(owner, in: "\(folder)/\(network.rawValue)")
            scenes.append(scene)
            var values = Values(owner, thief)
            for record in scene.records { values.learn(Tree(record.data), beside: nil) }
            guard network == .sandbox else {
                attacks += try await NodeAttacks(scene, thief, values).all
                attacks += try await OmissionAttacks(scene).all
                continue
            }
            let attacker = try await AttackScene(thief, in: "\(folder)/attacker")
            for (mine, theirs) in zip(scene.records, attacker.records)
            where mine.type == theirs.type {
                values.learn(Tree(mine.data), beside: Tree(theirs.data))
            }
            attacks += RowAttacks(scene: scene, attacker: attacker, values: values).all
            attacks += EventAttacks(scene: scene, attacker: attacker, values: values).all
        }
        self.attacks = attacks
        self.scenes = scenes
    }

    /// How many attacks there are.
    package var count: Int { attacks.count }

    /// The line of the table that an attack counts in.
    package func kind(_ number: Int) -> String { attacks[number].kind }

    /// The description of an attack, in a line.
    package func title(_ number: Int) -> String {
        let attack = attacks[number]
        return "\(attack.kind): \(attack.what) (\(attack.network.rawValue))"
    }

    /// The numbers of all attacks as they come by a seed; each kind comes early, however rare.
    package func order(seed: UInt64) -> [Int] {
        var random = Seeded(seed)
        var byKind: [String: [Int]] = [:]
        for number in attacks.indices { byKind[attacks[number].kind, default: []].append(number) }
        // Of a kind that is half as often, every second attack is this kind's for as long.
        let placed = byKind.keys.sorted().flatMap { kind -> [(Double, Int)] in
            let numbers = (byKind[kind] ?? []).shuffled(using: &random)
            let weight = Double(numbers.count).squareRoot()
            return numbers.enumerated().map { (Double($0) / weight, $1) }
        }
        return placed.sorted { $0.0 == $1.0 ? $0.1 < $1.1 : $0.0 < $1.0 }.map(\.1)
    }

    /// Carries an attack out.
    package func run(_ number: Int, plant: Weakness.Name? = nil) async throws -> Verdict {
        let attack = attacks[number]
        guard let scene = scenes.first(where: { $0.network == attack.network }) else {
            throw Unusable("no such store")
        }
        return try await attack.run(in: scene, plant: plant.map { Weakness($0) })
    }

    /// The result for an unaltered store, in which nothing may be found.
    package func runHonestly(plant: Weakness.Name? = nil) async throws -> [Verdict] {
        var outcomes: [Verdict] = []
        for scene in scenes {
            let attack = Attack(
                kind: "none", what: "", chain: nil, network: scene.network, alter: { _, _ in nil })
            outcomes.append(try await attack.run(in: scene, plant: plant.map { Weakness($0) }))
        }
        return outcomes
    }
}
