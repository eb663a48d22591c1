import DaybookEncoding
import Testing

struct RequestCommandTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
    }

    private var payment: String { "dashwallet://pay=\(Scene.payee)&amount=1.5&sender=myapp" }

    @Test func `a search without a find says so, and a list without an entry as well`() throws {
        try scene.done("open", payment)
        let requests = try scene.daybook("requests", "--text", "umbrella").output
        #expect(requests == "no request is like that\n")
        let moved = try scene.daybook("history", "my-dash", "--sender", "umbrella").output
        #expect(moved == "nothing that moved is like that\n")
        try scene.done(
            "wallet", "add", "--chain", "dash", "--new", "--network", "testnet", "--json",
            "--label", "unused", "--passphrase-file", scene.path("passphrase"))
        #expect(try scene.daybook("history", "unused").output == "nothing yet\n")
    }

    @Test func `open prints a request that waits, with every line of its prompt`() throws {
        let request = try scene.daybook("open", payment, "--json").object
        #expect(request["status"]?.stringValue == "pending")
        #expect(request["protocol"]?.stringValue == "dash")
        #expect(request["method"]?.stringValue == "pay")
        #expect(request["sender"]?.stringValue == "myapp")
        #expect(request["prompt"]?.shown("to") == Scene.payee)
        #expect(request["prompt"]?.shown("amount") == "1.5")
        #expect(request["prompt"]?.shown("minor") == "150000000")
        #expect(request["prompt"]?["digest"]?.stringValue?.count == 64)
        #expect(request["callback"] == nil)
        let text = try scene.daybook("pending").output
        let prompt = try #require(request["prompt"])
        #expect(text.contains(try #require(prompt["headline"]?.stringValue)))
        let lines = try [("amounts", "amount"), ("details", "text")].flatMap { list, member in
            try (prompt[list]?.arrayValue ?? []).map { line in
                let value = try #require(line[member]?.stringValue)
                let unit = line["unit"]?.stringValue.map { " \($0)" } ?? ""
                let share = line["share"]?.stringValue.map { " (\($0))" } ?? ""
                return (try #require(line["name"]?.stringValue), value + unit + share)
            }
        }
        #expect(lines.count > 10)
        for (name, value) in lines {
            #expect(text.split(separator: "\n").contains {
                $0.contains("  \(name) ") && $0.hasSuffix("  \(value)")
            })
        }
        #expect(try scene.daybook("pending", "--json").object == request)
    }

    @Test(arguments: [
        ("", "unsupportedScheme"), ("https://example.com", "unsupportedScheme"),
        ("dashwallet://pay=\(Scene.payee)&amount=1,5&sender=a", "invalidAmount"),
        ("dashwallet://pay=\(Scene.payee)&amount=0.123456789&sender=a", "amountTooPrecise"),
        ("dashwallet://pay=\(Scene.payee)&amount=21000001&sender=a", "amountTooLarge"),
        ("dashwallet://pay=\(Scene.payee)&amount=0.00000545&sender=a", "dust"),
        ("dashwallet://pay=\(Scene.payee)&amount=1&amount=1&sender=a", "duplicateKey"),
        ("dashwallet://pay=\(Scene.payee)&amount=1&req-foo=1&sender=a", "unknownRequiredKey"),
        ("dashwallet://pay=1111111111111111111114oLvT2&amount=1&sender=a", "invalidAddress"),
        ("dashwallet://request=address&sender=javascript", "invalidCaller"),
        ("dashwallet://request=seed&sender=a", "unknownMethod"),
        ("dashwallet://request=address&sender=a%00b", "malformedLink"),
        ("dashwallet://request=address&sender=a%E2%80%AEb", "malformedLink"),
        ("dashwallet://request=address&sender=a\u{202e}b", "malformedLink"),
        ("dashwallet://request=address&sender=a%FFb", "malformedLink"),
        ("dashwallet://request=address&sender=a%2", "malformedLink"),
        ("dash:?r=https%3A%2F%2Fm.example%2Fi%2F1", "paymentProtocolUnsupported"),
    ])
    func `a request that is refused is status 1 and says why`(url: String, code: String) throws {
        let answer = try scene.daybook("open", url, "--json")
        answer.expectFailure(1, code, of: "open")
        let request = try answer.object
        #expect(request["status"]?.stringValue == "refused")
        #expect(request["refusal"]?.stringValue == code)
        #expect(request["error"]?["code"]?.stringValue == code)
        #expect(request["reason"]?.stringValue?.isEmpty == false)
        #expect(try scene.daybook("pending", "--json").output.isEmpty)
        try scene.expectCleanReplay()
    }

    @Test func `a URL of 64 KiB is read, one byte more is too long`() throws {
        let start = "iconex://?data="
        let url = start + String(repeating: "A", count: 65_536 - start.utf8.count)
        let longest = try scene.daybook("open", "-", "--json", input: url + "\n")
        #expect(try longest.object["refusal"]?.stringValue != "linkTooLong")
        let longer = try scene.daybook("open", "-", "--json", input: url + "A\n")
        longer.expectFailure(1, "linkTooLong", of: "open")
        try scene.expectCleanReplay()
    }

    @Test func `bytes that are no text are refused and recorded as they came`() throws {
        let url = Array("dashwallet://request=address&sender=".utf8) + [0xff, 0xfe]
        let printed = url.map { "\\x" + Hex.encode([$0]) }.joined()
        for script in [
            #""$0" open - --json <<< $'\#(printed)'"#, #""$0" open $'\#(printed)' --json"#,
        ] {
            let answer = try Programs.run(
                ["/bin/bash", "-c", script, Programs.daybook],
                environment: ["DAYBOOK_HOME": scene.home])
            answer.expectFailure(1, "malformedLink", of: "open")
            let number = try #require(try answer.object["request"]?.numberLiteral)
            let events = try scene.daybook("log", "--request", number, "--json").objects
            #expect(events[0]["data"]?["text"]?["$hex"]?.stringValue == Hex.encode(url))
        }
    }

    @Test(arguments: [
        "7riWvDCYsZWvKSVVgoG3DRKTBEWM4JaBmGwRPTYyAeWn6hYFAjq",
        "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejM"
            + "RNNU3TGtRBeJgk33yuGBxrMPHi",
        Scene.words.replacing(" ", with: "%20"),
    ])
    func `a private key in a link is refused, and stands nowhere`(secret: String) throws {
        let url = "dashwallet://pay=\(secret)&amount=1&sender=a"
        let answer = try scene.daybook("open", url, "--json")
        answer.expectFailure(1, "privateKeyInLink", of: "open")
        #expect(!answer.output.contains(secret) && !answer.error.contains(secret))
        #expect(!(try scene.daybook("log", "--json").output.contains(secret)))
        let number = try #require(try answer.object["request"]?.numberLiteral)
        let stored = try scene.daybook("log", "--request", number, "--json").objects[0]
        let text = try #require(stored["data"]?["text"]?["$hex"]?.stringValue)
        #expect(!text.contains(Hex.encode(Array(secret.utf8))))
        try scene.expectCleanReplay()
    }

    @Test func `many lines give an answer each, and status 1 if one is refused`() throws {
        let good = try scene.daybook(
            "open", "-", "--json", input: "\(payment)\n\ndashwallet://request=address&sender=ab\n")
        #expect(good.status == 0)
        #expect(try good.objects.map { $0["status"]?.stringValue } == ["pending", "pending"])
        let mixed = try scene.daybook("open", "-", "--json", input: "x\n\(payment)")
        #expect(mixed.status == 1)
        #expect(try mixed.objects.map { $0["status"]?.stringValue } == ["refused", "coalesced"])
        #expect(try mixed.objects[1]["into"] == good.objects[0]["request"])
    }

    @Test func `a refused Connect request has the code and the callback of its protocol`() throws {
        let url = Scene.connect(#"{"id":7,"method":"mint"}"#)
        let answer = try scene.daybook("open", url, "--json")
        answer.expectFailure(1, "unknownMethod", of: "open")
        let request = try answer.object
        #expect(request["protocol"]?.stringValue == "iconex")
        #expect(request["code"]?.intValue == -1003)
        #expect(request["callback"]?.stringValue?.hasPrefix("my-app://?data=") == true)
    }

    @Test func `show tells a request's whole history`() throws {
        let id = try scene.pending(payment)
        let request = try scene.daybook("show", id, "--json").object
        #expect(request["request"]?.numberLiteral == id)
        #expect(request["status"]?.stringValue == "pending")
        let types = request["events"]?.arrayValue?.map { $0["type"]?.stringValue }
        #expect(types == ["request.received", "request.accepted"])
        try scene.daybook("show", "1", "--json").expectFailure(1, "unknownRequest", of: "show")
        try scene.daybook("show", "99999").expectFailure(1, "unknownRequest", of: "show")
    }
}
