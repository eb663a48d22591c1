import DaybookChains

/// One alteration, made before a user reads what the store shows.
struct Attack: Sendable {
    /// The line of the table that it counts in.
    let kind: String
    /// Where, and to what: with the kind all that is needed to do it again.
    let what: String
    /// The chain that it is about; the user does nothing on others.
    let chain: Chain?
    let network: Network
    /// How often the user checks the store, and repeats requests that failed.
    var rounds = 2
    /// The lies of a node.
    var lies: @Sendable () -> [Lie] = { [] }
    /// How many nodes of each chain the store asks, and which of them lie.
    var nodes = 1
    var liars: Set<Int> = [0]
    /// Whether the lie leaves something out: after honest answers the balance must be the chain's.
    var isOmission = false
    /// Alters the computer; returns the position from which on events are the store's own.
    let alter: @Sendable (Computer, AttackScene) async throws -> UInt64?
}

/// The result of an attack.
package struct Verdict: Sendable {
    /// How the store took it.
    package enum Answer: String, Sendable, CaseIterable {
        /// The altered log could not be opened or was not imported.
        case turnedAway
        /// Nothing that the user wanted came to its end.
        case refused
        /// Some of it did.
        case partly
        /// All of it did, as it was shown.
        case harmless
        case found
    }

    package let answer: Answer
    package let findings: [String]
    package let story: [String]
}

extension Attack {
    /// Alters, lets the user work, and judges.
    func run(in scene: AttackScene, plant: Weakness?) async throws -> Verdict {
        let computer = scene.computer()
        let base: UInt64
        do {
            base = try await alter(computer, scene) ?? UInt64(scene.records.count)
        } catch let error as Unusable {
            throw error
        } catch {
            return Verdict(answer: .turnedAway, findings: [], story: ["\(error)"])
        }
        for (number, wire) in computer.wires.enumerated() {
            wire.begin(liars.contains(number) ? lies() : [])
        }
        let visit = Visit(computer, scene, chain: chain, rounds: rounds, plant: plant)
        visit.isPaid = isOmission
        var untruths: [String] = []
        do {
            let store = try computer.open(nodes: nodes)
            await visit.run(store)
            if isOmission, let chain {
                if plant?.name != .believe { for wire in computer.wires { wire.begin([]) } }
                untruths = await ChainTruth(computer: computer, scene: scene, chain: chain)
                    .findings(store)
            }
        } catch {
            return Verdict(answer: .turnedAway, findings: [], story: ["\(error)"])
        }
        var judge = Judge(visit, after: base)
        try judge.run()
        let findings = judge.findings + untruths
        let wanted = scene.intents.count { chain == nil || $0.chain == chain }
        let answer: Verdict.Answer =
            if !findings.isEmpty {
                .found
            } else if visit.completed == 0 {
                .refused
            } else {
                visit.completed < wanted ? .partly : .harmless
            }
        return Verdict(answer: answer, findings: findings, story: visit.story)
    }
}
