import DaybookDomain
import DaybookEncoding
import DaybookLog
import Testing

@testable import Daybook

/// Labels of a store: given, listed, and exchanged with other wallets.
struct LabelTests {
    private let temporary: TemporaryStore
    private let store: Store

    init() throws {
        temporary = try TemporaryStore()
        store = try temporary.open()
    }

    private func set(_ about: String, _ text: String?) async throws {
        try await store.set([Label(about: try LabelTarget(about), text: text)])
    }

    private func label(_ about: String) async throws -> String? {
        try await store.label(of: try LabelTarget(about))
    }

    private static let txid = String(repeating: "ab", count: 32)

    @Test func `each kind of thing has a label, until an empty text takes it away`() async throws {
        let wallet = try await store.addTestWallet(.dash).id
        let request = try await store.receive("dash:\(Flow.dash)?amount=1").id
        let things = [
            "address:\(Flow.dash)", "output:\(Self.txid):0", "request:\(request)", "sender:shop",
            "tx:\(Self.txid)", "wallet:\(wallet)",
        ]
        for thing in things { try await set(thing, "label of \(thing)".prefix(64).description) }
        let page = try await store.labels()
        #expect(page.labels.map(\.about.description) == things && page.next == nil)
        for label in page.labels {
            #expect(label.text == "label of \(label.about)".prefix(64).description)
        }
        #expect(try await store.request(request).label == page.labels[2].text)
        for thing in things { try await set(thing, "") }
        #expect(try await store.labels().labels.isEmpty)
        let count = try await store.info().events
        for thing in things { try await set(thing, nil) }
        #expect(try await store.info().events == count)
    }

    @Test func `the label of a wallet and its name are one thing`() async throws {
        let wallet = try await store.addTestWallet(.dash).id
        try await set("wallet:\(wallet)", "till")
        #expect(try await store.wallets().first?.label == "till")
        try await store.rename(wallet, to: "shop")
        #expect(try await label("wallet:\(wallet)") == "shop")
        #expect(try await store.labels().labels.map(\.text) == ["shop"])
    }

    @Test func `labels are listed in pages`() async throws {
        let wallets = [
            try await store.addTestWallet(.dash).id, try await store.addTestWallet(.axe).id,
        ]
        let things = ["sender:a", "sender:b", "tx:\(Self.txid)"] + wallets.map { "wallet:\($0)" }
        for thing in things { try await set(thing, "x") }
        var found: [String] = []
        var page = try await store.labels(limit: 2)
        found += page.labels.map(\.about.description)
        while let next = page.next {
            page = try await store.labels(after: next, limit: 2)
            found += page.labels.map(\.about.description)
        }
        #expect(found == things)
    }

    @Test func `a txid in capitals or with 0x, and a sender in capitals, are the same`()
        async throws
    {
        try await set("tx:0x\(Self.txid.uppercased())", "a")
        try await set("sender:Shop", "b")
        #expect(try await label("tx:\(Self.txid)") == "a")
        #expect(try await label("sender:shop") == "b")
    }

    @Test func `an absent thing has no label, and a label has a limit`() async throws {
        let wallet = try await store.addTestWallet(.dash).id
        #expect(await errorCode { try await set("wallet:99", "x") } == .unknownWallet)
        #expect(await errorCode { _ = try await label("wallet:99") } == .unknownWallet)
        #expect(await errorCode { try await set("request:\(wallet)", "x") } == .unknownRequest)
        for text in ["", "x", "tx:12", "wallet:my-dash", "address:Xabc", "request:", "coin:1"] {
            #expect(await errorCode { try await set(text, "x") } == .invalidLabel, "\(text)")
        }
        let long = String(repeating: "é", count: 128)
        #expect(await errorCode { try await set("sender:shop", long) } == .labelTooLong)
        #expect(await errorCode { try await set("wallet:\(wallet)", long) } == .labelTooLong)
        try await set("sender:shop", String(long.dropLast()) + "e")
        #expect(try await store.wallets().first?.label != long)
    }

    @Test func `a hostile label is kept as it is, and gives no error`() async throws {
        let text = "\u{202e}=cmd|'/c calc'!A1\u{1b}[31m\n\u{0}\",;\t"
        try await set("tx:\(Self.txid)", text)
        #expect(try await label("tx:\(Self.txid)") == text)
        let file = try await store.exportLabels().file
        try await set("tx:\(Self.txid)", "")
        #expect(try await store.importLabels(file).labels == 1)
        #expect(try await label("tx:\(Self.txid)") == text)
    }

    // MARK: - Files

    @Test func `labels go to another store and back by BIP 329`() async throws {
        let wallet = try await store.addTestWallet(.dash).id
        let single = try await store.addTestWallet(.icon).id
        let request = try await store.receive("dash:\(Flow.dash)?amount=1").id
        try await set("wallet:\(wallet)", "till")
        try await set("wallet:\(single)", "icon")
        try await set("address:\(Flow.dash)", "landlord")
        try await set("output:\(Self.txid):1", "change")
        try await set("tx:\(Self.txid)", "rent")
        try await set("request:\(request)", "not paid yet")
        try await set("sender:shop", "corner shop")
        let (file, summary) = try await store.exportLabels()
        #expect(summary == LabelTransfer(labels: 4, passedOver: 3))
        let lines = try String(decoding: file, as: UTF8.self).split(separator: "\n").map {
            try JSON.parse(Array($0.utf8))
        }
        #expect(lines.map { $0["type"]?.stringValue } == ["addr", "output", "tx", "xpub"])
        #expect(lines[3]["ref"]?.stringValue?.hasPrefix("xpub") == true)

        let other = try TemporaryStore()
        let copy = try other.open()
        let there = try await copy.addTestWallet(.dash).id
        #expect(try await copy.importLabels(file) == LabelTransfer(labels: 4, passedOver: 0))
        #expect(try await copy.wallets().first { $0.id == there }?.label == "till")
        #expect(try await copy.exportLabels().file == file)
        let count = try await copy.info().events
        _ = try await copy.importLabels(file)
        #expect(try await copy.info().events == count)
    }

    @Test func `the label of a paid request goes with its transaction`() async throws {
        let wallet = try await store.addTestWallet(.dash).id
        _ = try await store.fundFromFaucet(wallet, amount: "200000000")
        try await store.mine(6)
        let id = try await store.receive("dash:\(Flow.dash)?amount=1").id
        let paid = try await store.approve(id)
        let txid = try #require(paid.transaction)
        try await set("request:\(paid.id)", "rent")
        let entry = try await store.history(of: wallet).entries.first
        #expect(entry?.label == "rent" && entry?.transaction == txid)
        let file = try await store.exportLabels().file
        #expect(
            String(decoding: file, as: UTF8.self)
                == #"{"type":"tx","ref":"\#(txid)","label":"rent"}"# + "\n")
        try await set("tx:\(txid)", "rent of May")
        #expect(try await store.history(of: wallet).entries.first?.label == "rent of May")
        #expect(try await store.request(paid.id).label == "rent")
        #expect(try await store.exportLabels().summary == LabelTransfer(labels: 1, passedOver: 1))
    }

    @Test func `lines that this store can't use are counted`() async throws {
        let file = """
            \u{feff}{"type":"pubkey","ref":"02ab","label":"a key"}
            {"type":"input","ref":"\(Self.txid):0","label":"an input"}
            {"type":"addr","ref":"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq","label":"bitcoin"}
            {"type":"xpub","ref":"xpub123","label":"another wallet"}

            {"type":"tx","ref":"\(Self.txid.uppercased())","label":"one","origin":"wpkh()"}
            {"type":"tx","ref":"\(Self.txid)","label":"two","new":[1,2]}\r
            {"type":"output","ref":"\(Self.txid):0","spendable":false}
            """
        let summary = try await store.importLabels(Array(file.utf8))
        #expect(summary == LabelTransfer(labels: 2, passedOver: 5))
        #expect(try await label("tx:\(Self.txid)") == "two")
    }

    @Test(arguments: [
        ("", "", nil),
        (#"{"type":"tx","ref":"12","label":"x"}"#, "64 hex digits", "invalidLabelFile"),
        (#"{"type":"output","ref":"12:0","label":"x"}"#, "TXID:N", "invalidLabelFile"),
        (#"{"type":"addr","ref":"x","label":7}"#, "no text", "invalidLabelFile"),
        ("not JSON", "no JSON object", "invalidLabelFile"),
        (#"["tx"]"#, "no JSON object", "invalidLabelFile"),
        (#"{"type":"tx","type":"tx","ref":"a"}"#, "no JSON object", "invalidLabelFile"),
        (String(repeating: "[", count: 10_000), "no JSON object", "invalidLabelFile"),
        (
            #"{"type":"tx","ref":"\#(txid)","label":"\#(String(repeating: "x", count: 256))"}"#,
            "255 bytes", "labelTooLong"
        ),
    ])
    func `a bad line refuses the whole file`(
        _ line: String, _ message: String, _ code: String?
    ) async throws {
        let good = #"{"type":"tx","ref":"\#(String(repeating: "1", count: 64))","label":"x"}"#
        let file = Array("\(good)\n\(line)\n".utf8)
        do {
            _ = try await store.importLabels(file)
            #expect(code == nil)
        } catch {
            #expect(error.code.rawValue == code && error.message.contains(message))
            if code == "invalidLabelFile" { #expect(error.message.contains("line 2 ")) }
            #expect(try await store.labels().labels.isEmpty)
        }
    }

    @Test func `an import of many labels is one commit, whatever the size of an event`()
        async throws
    {
        let text = String(repeating: "x", count: 250)
        let lines = (0..<3000).map { number in
            let digits = String(number)
            let txid = String(repeating: "0", count: 64 - digits.utf8.count) + digits
            return #"{"type":"tx","ref":"\#(txid)","label":"\#(text)"}"#
        }
        let file = Array(lines.joined(separator: "\n").utf8)
        #expect(try await store.importLabels(file).labels == 3000)
        let events = try await store.events(from: 0, limit: 1000)
        let times = Set(events.filter { $0.type == "label.set" }.map(\.time))
        #expect(events.count { $0.type == "label.set" } > 1 && times.count == 1)
        #expect(try await store.verify().isWhole)
    }
}
