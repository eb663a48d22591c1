import DaybookEncoding
import Foundation
import Testing
import TestSupport

/// A year of generated requests, as the real programs read it.
struct BookYearTests {
    private let folder: TemporaryFolder
    /// `tools/dev books` sets how many requests there are.
    private static let requests =
        ProcessInfo.processInfo.environment["DAYBOOK_BOOKS"].flatMap { Int($0) } ?? 300

    /// A generated request has 6.5 events.
    private static var events: Int { requests * 13 / 2 }

    init() throws { folder = try TemporaryFolder() }

    private func run(_ program: String, _ words: String...) throws -> String {
        let run = try ProgramRun(
            ["\(ProgramRun.folder)/\(program)"] + words,
            environment: ["DAYBOOK_HOME": "\(folder.path)/store"], dropsErrors: true)
        try #require(run.status == 0, "\(words): \(run.output.prefix(2000))")
        return run.output
    }

    @Test func `each program has the balances that the wallets have, to the last unit`() throws {
        _ = try run(
            "daybook-bench", "log", "\(folder.path)/store", "\(Self.events)", "--a-day",
            "\(max(1, Self.requests / 365))")
        // The balances of each wallet, whatever the program calls it.
        var expected: [String: [String: String]] = [:]
        for line in try run("daybook", "balance", "--json").split(separator: "\n") {
            let balance = try JSON.parse(Bytes(line.utf8))
            let parts = try ["confirmed", "unconfirmed"].map { name in
                try #require(balance[name]?.stringValue.flatMap { UInt256(decimal: $0) })
            }
            let wallet = try #require(balance["wallet"]?.numberLiteral)
            let decimals = try #require(balance["decimals"]?.numberLiteral.flatMap { Int($0) })
            let symbol = try #require(balance["symbol"]?.stringValue)
            let sum = parts[0].adding(parts[1]) ?? .max
            if sum == .zero { continue }
            expected[wallet, default: [:]][symbol] = DecimalAmount.format(sum, decimals: decimals)
        }
        for program in BookProgram.allCases {
            let file = "\(folder.path)/year.\(program.rawValue)"
            _ = try run("daybook", "export", file, "--format", program.rawValue)
            let journal = try String(contentsOfFile: file, encoding: .utf8)
            #expect(try program.check(journal) == "")
            let balances = try program.balances(journal)
            #expect(Set(balances.values) == Set(expected.values))
            #expect(balances.count == expected.count && expected.count >= 5)
            print("\(program.rawValue): \(journal.count { $0 == "*" }) movements")
        }
        let table = "\(folder.path)/year.csv"
        _ = try run("daybook", "export", table)
        _ = try run(
            "daybook", "statement", "--from", "2026-01-01", "--to", "2027-01-01", "--out",
            "\(folder.path)/year.html")
        let verified = try run(
            "daybook-replay", "verify", "\(folder.path)/store", "--statement",
            "\(folder.path)/year.html")
        #expect(verified.contains("statement: every figure follows"))
    }
}
