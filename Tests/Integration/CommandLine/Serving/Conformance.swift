import DaybookCalls
import DaybookEncoding
import TestSupport
import Testing

/// A way to call the methods: a socket, the page's server, the standard streams, C or Python.
protocol Door {
    /// The door's name in failures.
    var name: String { get }
    /// Sends a request's text and returns the answer to it.
    func answer(_ request: JSON) throws -> JSON
}

extension Door {
    /// The result of a call that must succeed.
    func result(_ method: String, _ params: KeyValuePairs<String, JSON?>) throws -> JSON {
        let answer = try answer(
            .record([
                "jsonrpc": .string("2.0"), "id": .int(1), "method": .string(method),
                "params": .record(params),
            ]))
        return try #require(answer["result"], "\(name), \(method): \(answer.text())")
    }
}

/// One call of the conformance table, and what its result must have.
struct ConformanceStep: Sendable {
    let method: String
    /// Makes the parameters from what earlier steps kept.
    let params: @Sendable ([String: JSON]) -> JSON
    /// The members that the result must have.
    let fields: [String]
    /// The parts of the result to keep, by their names for later steps.
    let kept: [String: @Sendable (JSON) -> JSON?]
    /// The stable code of the error that the call must end with; nil if it must succeed.
    let error: String?

    init(
        _ method: String, _ fields: [String], error: String? = nil,
        keeping kept: [String: @Sendable (JSON) -> JSON?] = [:],
        _ params: @escaping @Sendable ([String: JSON]) -> JSON = { _ in .object([]) }
    ) {
        self.method = method
        self.fields = fields
        self.error = error
        self.kept = kept
        self.params = params
    }

    private static let secret = JSON.string("a passphrase of tests")
    private static let witness =
        "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2"
    private static let link = "dashwallet://pay=\(Scene.payee)&amount=0.25&sender=shop"

    /// Every method, in an order in which each has what it needs: an empty store becomes one with
    /// wallets, payments and callbacks.
    static let all: [ConformanceStep] = wallets + requests + reports + nodes + ends

    private static let wallets = [
        ConformanceStep("info", ["log", "home", "version", "engine", "events"]),
        ConformanceStep(
            "wallet.add", ["wallet", "chain", "network", "address", "label", "mnemonic"],
            keeping: ["wallet": { $0["wallet"] }, "address": { $0["address"] }]
        ) { _ in
            .record([
                "chain": .string("dash"), "new": .bool(true), "label": .string("first"),
                "passphrase": secret,
            ])
        },
        ConformanceStep(
            "wallet.add", ["wallet", "address"], keeping: ["other": { $0["wallet"] }]
        ) { _ in
            .record([
                "chain": .string("axe"), "mnemonic": .string(Scene.words), "passphrase": secret,
            ])
        },
        ConformanceStep("wallet.add", [], error: "usage") { _ in
            .record(["chain": .string("dash")])
        },
        ConformanceStep("wallet.list", ["wallets"]),
        ConformanceStep("wallet.rename", ["wallet"]) {
            .record(["wallet": $0["other"], "label": .string("second")])
        },
        ConformanceStep("unlock", ["until"]) {
            .record([
                "wallet": $0["other"], "passphrase": secret, "seconds": .int(60),
                "limit": .string("0.5"),
            ])
        },
        ConformanceStep("lock", ["wallet"]) { .record(["wallet": $0["other"]]) },
        ConformanceStep("wallet.passphrase", ["wallet"]) {
            .record(["wallet": $0["other"], "passphrase": secret, "new": .string("another one")])
        },
        ConformanceStep("wallet.address", ["address", "uri"]) {
            .record(["wallet": $0["wallet"]])
        },
        ConformanceStep("sandbox.fund", ["wallet", "amount", "minor", "txid"]) {
            .record(["wallet": $0["wallet"], "amount": .string("5")])
        },
        ConformanceStep("sandbox.mine", ["tips"]) { _ in .record(["count": .int(2)]) },
    ]

    private static let requests = [
        ConformanceStep(
            "request.open", ["request", "status", "protocol", "method", "sender", "prompt"],
            keeping: ["request": { $0["request"] }]
        ) { _ in .record(["url": .string(link)]) },
        ConformanceStep("request.open", ["status", "reason", "error"]) { _ in
            .record(["url": .string("dashwallet://nothing")])
        },
        ConformanceStep(
            "request.prompt", ["request", "prompt"],
            keeping: ["digest": { $0["prompt"]?["digest"] }]
        ) { .record(["request": $0["request"]]) },
        ConformanceStep("request.approve", [], error: "promptChanged") {
            .record([
                "request": $0["request"], "passphrase": secret,
                "shown": .string(String(repeating: "00", count: 32)),
            ])
        },
        ConformanceStep("request.approve", ["request", "status", "callback", "txid"]) {
            .record(["request": $0["request"], "shown": $0["digest"], "passphrase": secret])
        },
        ConformanceStep("request.show", ["request", "status", "events"]) {
            .record(["request": $0["request"]])
        },
        ConformanceStep("payment.list", ["payments"]),
        ConformanceStep("callback.list", ["callbacks"]),
        ConformanceStep(
            "request.open", ["request"], keeping: ["second": { $0["request"] }]
        ) { _ in
            .record(["url": .string("dashwallet://pay=\(Scene.payee)&amount=0.5&sender=other")])
        },
        ConformanceStep("request.reject", ["request", "status"]) {
            .record(["request": $0["second"]])
        },
        ConformanceStep(
            "request.open", ["request"],
            keeping: ["third": { $0["request"] }, "terms": { $0["prompt"]?["digest"] }]
        ) { _ in .record(["url": .string("dashwallet://request=address&sender=other")]) },
        ConformanceStep("request.approve", ["callback"]) {
            .record(["request": $0["third"], "shown": $0["terms"], "passphrase": secret])
        },
        ConformanceStep("callback.list", ["callbacks", "next"]) { _ in
            .record(["limit": .int(1)])
        },
        ConformanceStep("callback.list", ["callbacks"]) {
            .record(["after": $0["request"], "limit": .int(1)])
        },
        ConformanceStep("callback.list", [], error: "usage") { _ in
            .record(["limit": .int(1001)])
        },
        ConformanceStep("callback.delivered", ["request", "delivered"]) {
            .record(["request": $0["request"]])
        },
        ConformanceStep("request.reject", ["requests"]) { _ in
            .record(["sender": .string("nobody")])
        },
        ConformanceStep("request.list", ["requests", "next"]) { _ in
            .record(["limit": .int(1)])
        },
        ConformanceStep("request.list", ["requests"]) { _ in
            .record(["status": .array([.string("rejected")])])
        },
        ConformanceStep("request.bump", ["request", "status"]) {
            .record(["request": $0["request"]])
        },
        ConformanceStep("request.cancel", ["request", "status"]) {
            .record(["request": $0["request"]])
        },
    ]

    private static let reports = [
        ConformanceStep("balance.list", ["balances"]) { .record(["wallet": $0["wallet"]]) },
        ConformanceStep("balance.list", ["balances"]) { _ in .record(["at": .int(3)]) },
        ConformanceStep(
            "coin.list", ["coins"],
            keeping: ["coin": { $0["coins"]?.arrayValue?.first?["coin"] }]
        ) { .record(["wallet": $0["wallet"], "limit": .int(1000)]) },
        ConformanceStep("coin.freeze", ["coins"]) { .record(["coins": coins($0)]) },
        ConformanceStep("coin.unfreeze", ["coins"]) { .record(["coins": coins($0)]) },
        ConformanceStep("coin.freeze", [], error: "usage") { _ in
            .record(["coins": .array([.string("abc")])])
        },
        ConformanceStep("label.set", ["about", "label"]) {
            .record([
                "about": .string("wallet:\($0["wallet"]?.text() ?? "")"),
                "label": .string("till"),
            ])
        },
        ConformanceStep("label.set", [], error: "invalidLabel") { _ in
            .record(["about": .string("tx:12"), "label": .string("x")])
        },
        ConformanceStep(
            "label.export", ["labels", "passedOver", "file"], keeping: ["labels": { $0["file"] }]),
        ConformanceStep("label.import", ["labels", "passedOver"]) {
            .record(["file": $0["labels"]])
        },
        ConformanceStep("label.list", ["labels"]),
        ConformanceStep("price.set", ["prices"]) { _ in
            .record([
                "asset": .string("DASH"), "currency": .string("EUR"), "price": .string("24.31"),
                "at": .string("2026-01-31"),
            ])
        },
        ConformanceStep("price.set", [], error: "invalidPrice") { _ in
            .record([
                "asset": .string("DASH"), "currency": .string("EUR"), "price": .string("0"),
            ])
        },
        ConformanceStep("price.import", ["prices"]) { _ in
            .record(["file": .string("asset,currency,price,at\nAXE,EUR,0.5,2026-01-31\n")])
        },
        ConformanceStep("price.set", ["prices"]) { _ in
            .record([
                "asset": .string("DASH"), "currency": .string("EUR"), "price": .string("24.32"),
                "at": .string("2026-01-31"), "replace": .bool(true),
            ])
        },
        ConformanceStep("price.list", ["prices"]) { _ in .record(["asset": .string("DASH")]) },
        ConformanceStep("price.list", ["prices", "next"]) { _ in .record(["limit": .int(1)]) },
        ConformanceStep("price.withdraw", ["prices"]) { _ in
            .record([
                "asset": .string("AXE"), "currency": .string("EUR"),
                "at": .string("2026-01-31"),
            ])
        },
        ConformanceStep("price.withdraw", [], error: "unknownPrice") { _ in
            .record([
                "asset": .string("AXE"), "currency": .string("EUR"),
                "at": .string("2026-01-31"),
            ])
        },
        ConformanceStep("witness.add", ["name", "url", "key"]) { _ in
            .record(["url": .string("http://127.0.0.1:9"), "witness": .string(Self.witness)])
        },
        ConformanceStep("witness.add", [], error: "invalidWitnessKey") { _ in
            .record(["url": .string("http://127.0.0.1:9"), "witness": .string("w")])
        },
        ConformanceStep("witness.list", ["witnesses"]),
        ConformanceStep("witness.remove", ["key"]) { _ in
            .record(["witness": .string(Self.witness)])
        },
        ConformanceStep("gains", ["gains", "missing"]) { _ in
            .record(["year": .int(2026), "currency": .string("EUR")])
        },
        ConformanceStep("gains", [], error: "invalidCurrency") { _ in
            .record(["year": .int(2026), "currency": .string("euro")])
        },
        ConformanceStep("binding.list", ["bindings"]),
        ConformanceStep("history.list", ["entries"]) { .record(["wallet": $0["wallet"]]) },
        ConformanceStep("statement.show", ["from", "to", "wallets", "movements", "root"]) {
            .record([
                "from": .string("2026-01-01"), "to": .string("2100-01-01"),
                "wallet": $0["wallet"],
            ])
        },
        ConformanceStep("statement.show", ["content"]) { _ in
            .record([
                "from": .string("2026-01-01"), "to": .string("2100-01-01"),
                "format": .string("html"),
            ])
        },
        ConformanceStep("statement.show", [], error: "invalidPeriod") { _ in
            .record(["from": .string("2026-01-01"), "to": .string("2026-01-01")])
        },
        ConformanceStep("log.read", ["events", "next"]) { _ in
            .record(["from": .int(0), "limit": .int(5)])
        },
        ConformanceStep("log.checkpoint", ["size", "root", "note", "key", "position"]),
        ConformanceStep("log.timestamp", ["position", "root", "at"]) { _ in
            .record(["tsa": (try? authority.get()).map { .string($0.url()) }])
        },
        ConformanceStep("log.timestamp", [], error: "authorityUnreachable") { _ in
            .record(["tsa": .string("http://127.0.0.1:1")])
        },
        ConformanceStep("log.verify", ["events", "root", "ok"]),
    ]

    private static let authority = Result { try StampAuthority.shared.get().serve() }

    /// The coin that an earlier step kept, as a list.
    private static func coins(_ kept: [String: JSON]) -> JSON { .array([kept["coin"] ?? .null]) }

    private static let nodes = [
        ConformanceStep("node.list", ["nodes"]),
        ConformanceStep("node.check", ["nodes"]),
        ConformanceStep("node.check", [], error: "nodeMissing") { _ in
            .record(["chain": .string("dash"), "network": .string("testnet")])
        },
        ConformanceStep("node.set", ["nodes"]) { _ in
            .record([
                "chain": .string("dash"), "network": .string("testnet"),
                "url": .string("http://127.0.0.1:1"),
            ])
        },
        ConformanceStep("node.remove", ["chain", "network"]) { _ in
            .record(["chain": .string("dash"), "network": .string("testnet")])
        },
        ConformanceStep("sync", ["events", "tips"]),
    ]

    private static let ends = [
        ConformanceStep("unlock", ["until"]) {
            .record([
                "wallet": $0["wallet"], "passphrase": secret, "seconds": .int(60),
                "limit": .string("1"),
            ])
        },
        ConformanceStep("lock", []) { .record(["wallet": $0["wallet"]]) },
        ConformanceStep("wallet.remove", ["wallet"]) { .record(["wallet": $0["other"]]) },
        // A server without the page has no address of it, and the page itself makes none.
        ConformanceStep("page.address", [], error: "noPage"),
        ConformanceStep("unknown.method", [], error: "unknownMethod"),
    ]

    /// Performs all steps through a door; `named` lists the methods that were called.
    static func perform(through door: some Door) throws -> Set<String> {
        var known: [String: JSON] = [:]
        var named: Set<String> = []
        for (number, step) in all.enumerated() {
            named.insert(step.method)
            let answer = try door.answer(
                .record([
                    "jsonrpc": .string("2.0"), "id": .int(number),
                    "method": .string(step.method), "params": step.params(known),
                ]))
            let what = "\(door.name), \(step.method): \(answer.text().prefix(300))"
            #expect(answer["id"] == .int(number), "\(what)")
            if let error = step.error {
                #expect(answer["error"]?["data"]?["code"] == .string(error), "\(what)")
                continue
            }
            let result = try #require(answer["result"], "\(what)")
            for field in step.fields { #expect(result[field] != nil, "\(field) of \(what)") }
            for (name, find) in step.kept { known[name] = find(result) }
        }
        return named
    }
}
