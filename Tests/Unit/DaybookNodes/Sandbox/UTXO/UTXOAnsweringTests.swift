import DaybookChains
import DaybookDomain
import DaybookEncoding
import DaybookNodes
import TestSupport
import Testing

struct UTXOAnsweringTests {
    private let parameters = UTXOParameters.of(.dash, .sandbox)!

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `an answer says the same whatever was asked before`(seed: UInt64) throws {
        var random = Seeded(seed)
        var sandbox = UTXOSandbox(MemoryRows(), parameters)
        let payers = (1...6).map { Payer($0, parameters) }
        var kept = KeptAnswers()
        var tips: [UTXOTip] = [sandbox.tip]
        for time in 0..<60 as Range<UInt64> {
            switch random.below(6) {
            case 0, 1: _ = try sandbox.fund(random.pick(payers).address, amount: 1_000_000)
            case 2: sandbox.mine(1, at: time)
            case 3: _ = sandbox.reorganise(1 + random.below(2), at: time)
            case 4: sandbox.forgetMempool()
            default: break
            }
            tips.append(sandbox.tip)
            let question = question(to: payers, after: random.pick(tips), &random)
            var none = KeptAnswers()
            #expect(sandbox.answer(to: question, &kept) == sandbox.answer(to: question, &none))
        }
    }

    private func question(
        to payers: [Payer], after tip: UTXOTip, _ random: inout Seeded
    ) -> ChainQuery {
        var question = ChainQuery()
        question.watched = payers.map {
            ChainQuery.Watched(
                address: $0.address.text, script: $0.script,
                isUsed: random.chance(20))
        }
        if random.chance(90) {
            question.tip = .init(height: UInt64(tip.height), hash: tip.hash.displayed)
        }
        question.isWhole = random.chance(10)
        return question
    }
}
