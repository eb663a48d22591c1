import DaybookChains
import DaybookEncoding
import Testing

@testable import DaybookDomain

/// Callers that ask too much, that the user does not want to hear, or that pass for others.
struct SenderTests {
    private static func limits(_ ofOne: UInt64, _ inTotal: UInt64) -> Settings {
        var settings = Settings()
        settings.pendingPerSender = ofOne
        settings.pendingInTotal = inTotal
        return settings
    }

    /// A link's text, and what it means: `sender` asks to be told an address.
    private static func ask(_ given: inout Given, _ number: Int, of sender: String) -> [Outcome] {
        let text = "\(sender) \(number)"
        given.readings[text] = Given.request(
            .bind, caller: Caller(scheme: sender, prefix: "\(sender)://"))
        return given.receive(text)
    }

    private static func refusal(_ outcomes: [Outcome]) -> Refusal.Code? {
        guard outcomes.count == 1, case .requestRefused(let data) = outcomes[0].payload else {
            return nil
        }
        return data.refusal.code
    }

    @Test func `a sender has no more than its places, and others keep theirs`() {
        var given = Given(settings: Self.limits(3, 100))
        _ = given.add(.icon)
        for number in 0..<3 {
            #expect(Self.ask(&given, number, of: "flood").types == ["request.accepted"])
        }
        #expect(Self.refusal(Self.ask(&given, 3, of: "flood")) == .tooManyFromSender)
        #expect(Self.ask(&given, 0, of: "shop").types == ["request.accepted"])
        given.reject(given.request)
        #expect(Self.refusal(Self.ask(&given, 4, of: "flood")) == .tooManyFromSender)
        given.time += 600_000_000
        given.when(.timePassed(TimePassed()))
        #expect(Self.ask(&given, 5, of: "flood").types == ["request.accepted"])
    }

    @Test func `made-up names can't take the places of senders that the user approved`() {
        var given = Given(settings: Self.limits(3, 5))
        let wallet = given.add(.icon)
        _ = Self.ask(&given, 0, of: "shop")
        #expect(given.approve(wallet: wallet).types.first == "binding.granted")
        for number in 0..<5 {
            #expect(Self.ask(&given, 0, of: "flood\(number)").types == ["request.accepted"])
        }
        #expect(Self.refusal(Self.ask(&given, 0, of: "flood5")) == .tooManyRequests)
        #expect(Self.ask(&given, 1, of: "shop").types == ["request.accepted"])
    }

    @Test func `the same request again takes no place`() {
        var given = Given(settings: Self.limits(1, 1))
        _ = given.add(.icon)
        #expect(Self.ask(&given, 0, of: "shop").types == ["request.accepted"])
        #expect(Self.ask(&given, 0, of: "shop").types == ["request.coalesced"])
    }

    @Test func `requests that name no sender share the places of one`() {
        var given = Given(settings: Self.limits(2, 100))
        _ = given.add(.dash)
        for amount in [1000, 2000, 3000] as [UInt64] {
            given.readings["\(amount)"] = Given.pay(amount, caller: nil)
        }
        #expect(given.receive("1000").types == ["request.accepted"])
        #expect(given.receive("2000").types == ["request.accepted"])
        #expect(Self.refusal(given.receive("3000")) == .tooManyFromSender)
    }

    @Test func `a request that waited for its node finds no place behind a flood either`() {
        var given = Given(settings: Self.limits(1, 100))
        let wallet = given.add(.icon)
        given.observeICON(wallet, loop: 1_000_000_000)
        given.readings["send"] = Given.request(
            .sendICX(
                from: given.state.wallet(wallet)?.address ?? "", to: Given.stranger,
                value: UInt256(1), data: nil))
        #expect(given.receive("send").types == ["request.deferred"])
        let deferred = given.request
        #expect(Self.ask(&given, 0, of: "shop").types == ["request.accepted"])
        let outcomes = given.observeICON(wallet, loop: 1_000_000_000, request: deferred)
        #expect(Self.refusal(outcomes) == .tooManyFromSender)
    }

    @Test func `a sender that the user blocked is refused without an answer`() {
        var settings = Settings()
        settings.blockedSenders = ["evil"]
        var given = Given(settings: settings)
        _ = given.add(.icon)
        #expect(Self.refusal(Self.ask(&given, 0, of: "evil")) == .senderBlocked)
        given.readings["bad"] = .refused(
            Refusal(.unknownMethod), caller: Caller(scheme: "evil", prefix: "evil://"),
            reference: nil)
        #expect(given.receive("bad").types == ["request.refused"])
        #expect(Self.ask(&given, 0, of: "evil2").types == ["request.accepted"])
    }

    @Test func `settings of older sessions know no such limits`() throws {
        var settings = Settings()
        settings.pendingPerSender = nil
        settings.pendingInTotal = nil
        settings.maxFeeRate = nil
        #expect(
            try CBOR.decode(settings.encoded())
                == .record(["expirySeconds": .unsigned(600), "freeUnlockFailures": .unsigned(3)]))
        #expect(try Settings(settings.encoded(), path: "settings") == settings)
        var given = Given(settings: settings)
        _ = given.add(.icon)
        for number in 0..<300 {
            #expect(Self.ask(&given, number, of: "shop").types == ["request.accepted"])
        }
    }

    @Test(arguments: [
        ("shop1", "shopl", true), ("my-app", "myapp", true), ("mail", "rnail", true),
        ("wallet", "vvallet", true), ("paypal", "paypa1", true), ("cloud", "doud", true),
        ("shop", "shop", false), ("shop", "store", false), ("shop", "spot", false),
        // One edit: a letter more, less, another, two swapped; also of what it looks like.
        ("shop", "shops", true), ("myshop", "myshp", true), ("shop", "chop", true),
        ("coffee", "cofeef", true), ("coffee", "cofef", true), ("corner", "conrer", true),
        ("coffee", "c0fee1", true), ("coffee", "toffees", false), ("exchange", "xechnage", false),
        // Words more or less.
        ("myshop", "myshop1", true), ("shop", "shop-pay", true), ("shop", "myshop", true),
        ("shop", "shop2", true), ("shop", "the-shop-24", true), ("shop-pay", "shop", true),
        ("shop", "sh0p-pay", true), ("com.example.shop", "com.example.shop.pay", true),
        ("com.example.shop", "com.example.pay", false), ("coffee-shop", "coffee-house", false),
        // Short names have many neighbours: they count as words only.
        ("app", "apple", false), ("abc", "abd", false), ("abc", "xabcx", false),
        ("abc", "abc-pay", true), ("abc", "abc2", true), ("abc", "my.abc", true),
        ("my-abc", "abc", true), ("ab", "4ab", true),
    ])
    func `a prompt warns of a sender that looks like one who was approved`(
        known: String, other: String, isAlike: Bool
    ) {
        var given = Given()
        let wallet = given.add(.icon)
        _ = Self.ask(&given, 0, of: known)
        #expect(given.prompt(wallet: wallet).content.warnings.first?.text == nil)
        _ = given.approve(wallet: wallet)
        _ = Self.ask(&given, 1, of: other)
        let warning = given.prompt(wallet: wallet).content.warnings.first?.text
        #expect(
            warning
                == (isAlike ? "You approved a sender with a similar name before: \(known)" : nil))
        #expect(given.approve(wallet: wallet).types.first == "binding.granted")
    }

    @Test func `an approved sender is told only from names that look the same`() {
        var given = Given()
        let wallet = given.add(.icon)
        for (number, sender) in ["shop", "shop-pay", "sh0p"].enumerated() {
            _ = Self.ask(&given, number, of: sender)
            _ = given.approve(wallet: wallet)
        }
        func warning(_ number: Int, _ sender: String) -> String? {
            _ = Self.ask(&given, number, of: sender)
            return given.prompt(wallet: wallet).content.warnings.first?.text
        }
        #expect(warning(4, "shop-pay") == nil)
        #expect(warning(5, "shop")?.hasSuffix("before: sh0p") == true)
        #expect(warning(6, "sh0p")?.hasSuffix("before: shop") == true)
        #expect(warning(7, "shop-pays")?.hasSuffix("before: shop-pay") == true)
        #expect(warning(8, "my-shop")?.hasSuffix("before: sh0p") == true)
    }

    @Test func `a sender is compared with a thousand others, and no more`() {
        var given = Given()
        let wallet = given.add(.icon)
        for number in 0..<SenderName.maxCompared {
            let caller = Caller(scheme: "a\(number)q\(number)q", prefix: "")
            given.state.approved[Pair(caller.skeleton, caller.scheme)] = PointerRow(0)
        }
        for sender in ["coffee", "zebra"] {
            let caller = Caller(scheme: sender, prefix: "")
            given.state.approved[Pair(caller.skeleton, caller.scheme)] = PointerRow(0)
        }
        func warning(_ number: Int, _ sender: String) -> String? {
            _ = Self.ask(&given, number, of: sender)
            return given.prompt(wallet: wallet).content.warnings.first?.text
        }
        #expect(warning(1, "a17q17q-pay") != nil)
        #expect(warning(2, "zebra-pay") == nil)
        #expect(warning(3, "z-ebra")?.hasSuffix("before: zebra") == true)
    }

    @Test func `a newer engine's session makes its rules the log's`() {
        var given = Given()
        #expect(given.state.engine == Engine.current)
        let next = SessionStarted(
            frontEnd: "tests", engine: Engine.current + 1, libraries: [], settings: Settings())
        given.when(.sessionStarted(next))
        #expect(given.state.engine == Engine.current + 1)
    }
}
