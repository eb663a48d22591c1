import DaybookDomain
import TestSupport

/// An action of one step; the details follow from the step's own seed, so that a step
/// means the same when others are left out.
package enum StepAction: String, CaseIterable, Sendable {
    case addWallet, removeWallet, fund, receive, decide, reject, resume, sync, deliver, lists
    case remedy, rename, decideAtOnce, freeze, chooseCoins, writeLabel, writePrice
    case mine, reorganise, rollBack, weather, release
    case wait, turnBack, loseKey, fillDisk
    case crash, crashAll, close
}

/// One step of a script.
package struct Step: Equatable, Sendable {
    /// Its place in the script that the seed makes.
    package let number: Int
    package let action: StepAction
    let seed: UInt64
}

/// The faults that a seed switches on, and how many: each seed draws its own.
package struct Knobs: Sendable {
    var frontEnds = 1
    var weights: [(StepAction, Int)] = []
    /// The worst that nodes may do.
    var weather = Weather.fine
    var hasRealNodes = false
    var hasWords = false
    /// How many of a hundred links are wrong or hostile.
    var hostile = 10
    /// How many of a hundred decisions are mistaken, and how many passphrases.
    var mistakes = 10
    var wrongGuesses = 8
    /// The chains that wallets here are of.
    var chains = ["dash", "axe", "icon"]
    var settings = Settings()
    var steps = 80

    init(_ random: inout Seeded) {
        frontEnds = 1 + random.below(3)
        hasRealNodes = random.chance(35)
        hasWords = random.chance(8)
        hostile = random.pick([0, 10, 40])
        mistakes = random.pick([0, 10, 40])
        wrongGuesses = random.pick([0, 8, 50])
        // On one chain payments meet each other's coins.
        if random.chance(40) { chains = [random.pick(chains)] }
        settings.expirySeconds = random.pick([60, 600, 3600])
        settings.pendingPerSender = random.pick([1, 3, 16])
        settings.pendingInTotal = random.pick([2, 6, 128])
        if random.chance(20) { settings.blockedSenders = ["shop"] }
        steps = 40 + random.below(200)
        for rate in [\Weather.delays, \.fails, \.lies, \.loses, \.refuses] {
            if random.chance(50) { weather[keyPath: rate] = random.pick([5, 20, 60]) }
        }
        func on(_ percent: Int, _ weight: Int) -> Int {
            random.chance(percent) ? 1 + random.below(weight) : 0
        }
        weights = [
            (.receive, 40 + on(100, 60)), (.decide, 30 + on(100, 40)), (.fund, 12 + on(100, 20)),
            (.addWallet, on(90, 3)), (.removeWallet, on(15, 2)), (.reject, on(60, 8)),
            (.resume, on(50, 6)), (.sync, on(80, 10)), (.deliver, on(80, 12)),
            (.lists, on(50, 4)), (.mine, on(80, 10)), (.reorganise, on(40, 4)),
            (.rollBack, on(30, 4)), (.weather, on(60, 5)), (.release, on(90, 12)),
            (.wait, on(60, 6)), (.turnBack, on(30, 4)), (.loseKey, on(15, 2)),
            (.fillDisk, on(25, 3)), (.crash, on(50, 8)), (.crashAll, on(30, 3)),
            (.close, on(25, 2)),
        ]
    }
}

/// The scenario of a seed: the computer with its faults, and the steps.
package struct Scenario: Sendable {
    package let seed: UInt64
    let knobs: Knobs
    package var steps: [Step] = []

    package init(seed: UInt64) {
        var random = Seeded(seed)
        self.seed = seed
        knobs = Knobs(&random)
        for number in 0..<knobs.steps {
            let first: [StepAction] = [.addWallet, .addWallet, .addWallet, .fund, .fund, .fund]
            let drawn = random.pick(weighing: knobs.weights) ?? .receive
            steps.append(
                Step(
                    number: number, action: number < first.count ? first[number] : drawn,
                    seed: random.next()))
        }
        // Impatient users.
        add(.remedy, toHundredSteps: [0, 10, 25], 0x7265_6d65_6479)
        add(.rename, toHundredSteps: [0, 2], 0x7265_6e61_6d65)
        // Users who do not wait for a payment before they approve the next one.
        add(.decideAtOnce, toHundredSteps: [0, 0, 0, 10], 0x6174_6f6e_6365)
        // Users who keep coins back, and who keep books.
        add(.freeze, toHundredSteps: [0, 0, 5], 0x6672_6565_7a65)
        add(.chooseCoins, toHundredSteps: [0, 0, 8], 0x6368_6f6f_7365)
        add(.writeLabel, toHundredSteps: [0, 2], 0x6c61_6265_6c)
        add(.writePrice, toHundredSteps: [0, 2], 0x7072_6963_65)
    }

    /// Adds an action after some steps, from a generator of its own, so that older seeds stay.
    private mutating func add(
        _ action: StepAction, toHundredSteps shares: [Int], _ salt: UInt64
    ) {
        var random = Seeded(seed ^ salt)
        let share = random.pick(shares)
        let all = steps.flatMap { step in
            random.chance(share)
                ? [step, Step(number: step.number, action: action, seed: random.next())] : [step]
        }
        steps = all.enumerated().map { number, step in
            Step(number: number, action: step.action, seed: step.seed)
        }
    }
}

/// The places that a run reached, and how often.
package struct PlaceCounts: Sendable {
    package private(set) var counts: [String: Int] = [:]

    package init() {}

    mutating func mark(_ name: String) {
        counts[name, default: 0] += 1
    }

    package mutating func add(_ other: PlaceCounts) {
        counts.merge(other.counts) { $0 + $1 }
    }

    package func reached(_ name: String) -> Bool {
        counts[name] != nil
    }
}
