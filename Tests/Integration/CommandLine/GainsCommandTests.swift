import DaybookEncoding
import Testing

struct GainsCommandTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
    }

    /// The day on which the store's wallets got their coins.
    private func day() throws -> String {
        let entry = try scene.daybook("history", "my-dash", "--json").objects[0]
        return String(try #require((entry["blockTime"] ?? entry["time"])?.stringValue).prefix(10))
    }

    @Test func `a payment's gain is shown, and missing prices are listed`() throws {
        let day = try day()
        let year = String(day.prefix(4))
        let none = try scene.daybook("gains", "--year", year, "--currency", "EUR")
        #expect(none.output == "nothing left the wallets in that year\n")
        let id = try scene.pending("dash:\(Scene.payee)?amount=1.5")
        #expect(try scene.approve(id).status == 0)
        let lost = try scene.daybook("gains", "--year", year, "--currency", "EUR", "--json").objects
        for name in ["proceeds", "cost", "gain"] { #expect(lost[0][name] == nil) }
        #expect(lost.last?["missing"]?.arrayValue?.isEmpty == false)
        try scene.done("price", "set", "DASH", "eur", "30", "--at", day)
        let rows = try scene.daybook("gains", "--year", year, "--currency", "eur", "--json").objects
        #expect(rows[0]["amount"] == .string("1.5") && rows[0]["kind"] == .string("payment"))
        #expect(rows[0]["proceeds"] == .string("45.00") && rows[0]["gain"] == .string("0.00"))
        #expect(rows[1]["kind"] == .string("fee") && rows[1]["proceeds"] == .string("0.00"))
        #expect(rows[0]["request"]?.text() == id)
        #expect(rows.last == .record(["missing": .array([])]))
        let csv = try scene.daybook(
            "gains", "--year", year, "--currency", "EUR", "--method", "average", "--format", "csv")
        #expect(csv.lines[0].hasPrefix("Asset,Kind,Acquired,Disposed,Amount,Currency,Proceeds"))
        #expect(csv.lines[1].contains(",1.5,EUR,45.00,45.00,0.00,\(id),"))
        #expect(csv.lines.count == 3 && csv.error.isEmpty)
    }

    @Test func `the options of gains are checked`() throws {
        try scene.daybook("gains", "--currency", "EUR").expectFailure(2, "usage", of: "gains")
        try scene.daybook("gains", "--year", "2026").expectFailure(2, "usage", of: "gains")
        try scene.daybook("gains", "--year", "1969", "--currency", "EUR")
            .expectFailure(2, "invalidTime", of: "gains")
        try scene.daybook("gains", "--year", "2026", "--currency", "E")
            .expectFailure(2, "invalidCurrency", of: "gains")
        try scene.daybook("gains", "--year", "2026", "--currency", "EUR", "--method", "lifo")
            .expectFailure(2, "usage", of: "gains")
    }
}
