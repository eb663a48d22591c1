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
    /// What a node says that is not so.
    var lie: (@Sendable () -> Lie)?
    /// Alters the computer; returns the position from which on events are the store's own.
    let alter: @Sendable (Computer, Scene) async throws -> UInt64?
}

/// What came of an attack.
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
    func run(in scene: Scene, plant: Plant?) async throws -> Verdict {
        let computer = scene.computer()
        let base: UInt64
        do {
            base = try await alter(computer, scene) ?? UInt64(scene.records.count)
        } catch let error as Unusable {
            throw error
        } catch {
            return Verdict(answer: .turnedAway, findings: [], story: ["\(error)"])
        }
        computer.wire.begin(lie?())
        let visit = Visit(computer, scene, chain: chain, rounds: rounds, plant: plant)
        do {
            await visit.run(try computer.open())
        } catch {
            return Verdict(answer: .turnedAway, findings: [], story: ["\(error)"])
        }
        var judge = Judge(visit, after: base)
        try judge.run()
        let wanted = scene.intents.count { chain == nil || $0.chain == chain }
        let answer: Verdict.Answer =
            if !judge.findings.isEmpty {
                .found
            } else if visit.completed == 0 {
                .refused
            } else {
                visit.completed < wanted ? .partly : .harmless
            }
        return Verdict(answer: answer, findings: judge.findings, story: visit.story)
    }
}
