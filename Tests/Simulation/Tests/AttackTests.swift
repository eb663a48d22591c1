import Attacks
import TestSupport
import Testing

/// The short form of `tools/dev attacks`.
@Suite(.oneCampaign) struct AttackTests {
    /// How many attacks there is time for in the ordinary tests.
    private static let count = 50
    private static let omissions = 24

    @Test func `no attack of some of each kind takes money or gives a false address`()
        async throws
    {
        let campaign = try #require(OneCampaign.shared)
        for verdict in try await campaign.runHonestly() {
            #expect(verdict.answer == .harmless, "\(verdict.findings) \(verdict.story)")
        }
        try await withThrowingTaskGroup { group in
            for part in 0..<4 {
                group.addTask {
                    let order = campaign.order(seed: 1).prefix(Self.count)
                    for (index, number) in order.enumerated() where index % 4 == part {
                        let verdict = try await campaign.run(number)
                        #expect(
                            verdict.findings == [],
                            "tools/dev attacks --only \(number): \(campaign.title(number))")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `after honest answers a balance is the chain's, whatever was left out before`()
        async throws
    {
        let campaign = try #require(OneCampaign.shared)
        let order = campaign.order(seed: 2).filter { campaign.kind($0) == "node: omissions" }
        #expect(order.count >= 10_000)
        try await withThrowingTaskGroup { group in
            for part in 0..<4 {
                group.addTask {
                    for (index, number) in order.prefix(Self.omissions).enumerated()
                    where index % 4 == part {
                        let verdict = try await campaign.run(number)
                        #expect(
                            verdict.findings == [],
                            "tools/dev attacks --only \(number): \(campaign.title(number))")
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: [
        (Weakness.Name.resume, "events: added, in place"), (.rows, "rows: the attacker's"),
        (.change, "rows: the attacker's"), (.twice, "node: refusals"),
        (.believe, "node: omissions"),
    ])
    func `a planted weakness is found`(_ plant: Weakness.Name, _ kind: String) async throws {
        let campaign = try #require(OneCampaign.shared)
        let order = campaign.order(seed: 1).filter { campaign.kind($0) == kind }
        for number in order.prefix(80) {
            let verdict = try await campaign.run(number, plant: plant)
            if !verdict.findings.isEmpty { return }
        }
        Issue.record("nothing was found in \(min(order.count, 80)) attacks")
    }
}

/// Makes the stores that a suite's tests attack once: they take longer than most attacks.
private struct OneCampaign: SuiteTrait, TestScoping {
    @TaskLocal static var shared: Campaign?

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing body: @Sendable () async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let campaign = try await Campaign(in: folder.path)
        try await Self.$shared.withValue(campaign) { try await body() }
        withExtendedLifetime(folder) {}
    }
}

extension Trait where Self == OneCampaign {
    fileprivate static var oneCampaign: Self { Self() }
}

/// Guesses and unlocked wallets of several processes at once: the short form of the 10 000
/// interleavings of `tools/dev attacks`.
struct GuessingAttackTests {
    @Test func `no interleaving tries a passphrase too many or pays without one`() async throws {
        let (codes, findings) = try await GuessingScene().run(0..<300)
        #expect(findings == [:])
        // Findings that must occur in some of them, so that the laws mean something.
        for code in [
            "pay done", "pay passphraseMissing", "unlock done", "unlock lockedOut",
            "unlock unlockOvertaken", "unlock wrongPassphrase", "approve done",
            "approve lockedOut", "changePassphrase done", "changePassphrase lockedOut",
            "remove done",
        ] {
            #expect(codes[code, default: 0] > 0, "\(code)")
        }
    }

    @Test(arguments: GuessingScene.Weakness.allCases)
    func `a vault without locks or sealings is found`(_ weakness: GuessingScene.Weakness)
        async throws
    {
        #expect(try await !GuessingScene().run(0..<300, weakness: weakness).findings.isEmpty)
    }
}
