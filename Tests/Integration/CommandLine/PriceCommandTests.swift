import DaybookEncoding
import DaybookSystem
import Foundation
import Testing

struct PriceCommandTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
    }

    @Test func `prices are recorded one by one and from a file`() throws {
        let one = try scene.daybook(
            "price", "set", "DASH", "EUR", "24.31", "--at", "2026-01-31", "--json")
        #expect(try one.object["prices"] == .number("1"))
        try scene.daybook("price", "set", "DASH", "EUR", "24.32", "--at", "2026-01-31T00:00Z")
            .expectFailure(1, "priceConflict", of: "price set")
        try scene.daybook("price", "set", "DASH", "EUR", "0")
            .expectFailure(2, "invalidPrice", of: "price set")
        let time = "'yesterday' is no time: a time is a date, or a date and a time of day in UTC, "
            + "such as 2026-01-31 or 2026-01-31T12:00:00Z (invalidTime)"
        let words = [
            ["price", "set", "DASH", "EUR", "1", "--at"], ["requests", "--from"],
            ["history", "my-dash", "--to"], ["statement", "--to", "2026-01-01", "--from"],
        ]
        for words in words {
            let failed = try Programs.run(
                [Programs.daybook] + words + ["yesterday"],
                environment: ["DAYBOOK_HOME": scene.home])
            #expect(failed.status == 2 && failed.lastWords.hasSuffix(": \(time)"))
        }
        let report = try scene.replay(
            "report", scene.home, "--out", scene.path("r.html"), "--from", "yesterday")
        #expect(report.status == 2 && report.lastWords.hasSuffix(": \(time)"))
        try scene.write("times.csv", "asset,currency,price,at\nAXE,EUR,1,yesterday\n")
        #expect(
            try scene.daybook("price", "import", scene.path("times.csv")).lastWords
                .hasSuffix(": line 2: \(time)"))
        let file = try scene.write(
            "prices.csv",
            "asset,currency,price,at\nAXE,EUR,0.5,2026-01-31\nICX,EUR,0.1,2026-01-31\n")
        #expect(
            try scene.daybook("price", "import", file, "--json").object["prices"] == .number("2"))
        try scene.write(
            "bad.csv",
            "asset,currency,price,at\nAXE,EUR,1,2026-02-01\nAXE,EUR,-1,2026-02-02\n")
        let bad = try scene.daybook("price", "import", scene.path("bad.csv"))
        bad.expectFailure(2, "invalidPrice", of: "price import")
        #expect(bad.lastWords.contains("line 3"))
        #expect(try scene.daybook("log", "--json").objects
            .count { $0["type"]?.stringValue == "price.set" } == 2)
        try scene.expectCleanReplay()
        #expect(try scene.replay("verify", scene.home).status == 0)
    }

    @Test func `prices are listed, corrected, and shown with what was moved`() throws {
        #expect(try scene.daybook("price", "list").output == "no prices yet\n")
        try scene.done("price", "set", "DASH", "EUR", "24.31")
        try scene.done("price", "set", "DASH", "USD", "30", "--at", "2026-01-31")
        let listed = try scene.daybook("price", "list", "--currency", "usd").output
        #expect(listed.hasSuffix("2026-01-31T00:00:00Z  DASH      30  USD\n"), "\(listed)")
        let none = try scene.daybook("price", "list", "--asset", "AXE").output
        #expect(none == "no price is of that asset and currency\n")
        try scene.daybook("price", "withdraw", "DASH", "USD", "--at", "2026-01-30")
            .expectFailure(1, "unknownPrice", of: "price withdraw")
        try scene.done("price", "withdraw", "DASH", "USD", "--at", "2026-01-31")
        try scene.done("price", "set", "DASH", "EUR", "20", "--at", "2026-01-31")
        try scene.daybook("price", "set", "DASH", "EUR", "21", "--at", "2026-01-31")
            .expectFailure(1, "priceConflict", of: "price set")
        try scene.done(
            "price", "set", "DASH", "EUR", "21", "--at", "2026-01-31", "--replace")
        let prices = try scene.daybook("price", "list", "--json").objects
            .map { $0["price"]?.stringValue }
        #expect(prices == ["21", "24.31"])
        try scene.expectCleanReplay()
        #expect(try scene.replay("verify", scene.home).status == 0)
    }

    @Test func `a file of 100 MB is refused without being read to its end`() throws {
        let path = scene.path("large.csv")
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        #expect(truncate(path, 100 << 20) == 0)
        try scene.daybook("price", "import", path)
            .expectFailure(2, "fileTooLarge", of: "price import")
        try scene.daybook("label", "import", path)
            .expectFailure(2, "fileTooLarge", of: "label import")
    }
}
