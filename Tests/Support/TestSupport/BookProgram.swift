import Foundation

/// The real programs that read journals of books.
package enum BookProgram: String, CaseIterable, Sendable {
    case hledger, ledger, beancount

    /// Checks a journal as strictly as the program can; returns what it says against it.
    package func check(_ journal: String) throws -> String {
        try Self.withFile(journal) { file in
            let run: ProgramRun
            switch self {
            case .hledger: run = try start("hledger", "check", "--strict", "-f", file)
            case .ledger:
                run = try start("ledger", "-f", file, "--strict", "--pedantic", "balance")
            case .beancount: run = try start("bean-check", file)
            }
            let isSilent = self == .ledger || run.output.isEmpty
            return run.status == 0 && isSilent ? "" : "\(run.status): \(run.output)"
        }
    }

    /// The balance of each account below the top account of wallets, by commodity.
    package func balances(_ journal: String) throws -> [String: [String: String]] {
        try Self.withFile(journal) { file in
            let run: ProgramRun
            switch self {
            case .hledger:
                run = try start(
                    "hledger", "-f", file, "balance", "^assets", "--flat", "-N", "-E",
                    "--layout=bare", "-O", "csv")
            case .ledger:
                run = try start(
                    "ledger", "-f", file, "balance", "^assets", "--flat", "--no-total", "--empty",
                    "--format", #"%(account)\t%(display_total)\n"#)
            case .beancount: run = try start("/usr/bin/python3", "-c", Self.script, file)
            }
            guard run.status == 0 else { throw Unread(output: run.output) }
            return read(run.lines)
        }
    }

    /// A journal that a program does not read.
    private struct Unread: Error {
        let output: String
    }

    private func read(_ lines: [String]) -> [String: [String: String]] {
        var balances: [String: [String: String]] = [:]
        var account = ""
        for line in self == .hledger ? lines.dropFirst().map(Self.tabbed) : lines {
            var cells = line.split(separator: "\t")[...]
            if cells.count > 1 { account = String(cells.removeFirst()) }
            let parts = cells.first?.split(separator: " ", maxSplits: 1) ?? []
            // An account can have had something, and have nothing now.
            if parts.count < 2 { continue }
            let commodity = parts[1].filter { $0 != "\"" }
            balances[account, default: [:]][commodity] = Self.plain(parts[0])
        }
        return balances
    }

    /// A line of hledger's table, whose cells are an account, a commodity and a balance.
    private static func tabbed(_ line: String) -> String {
        let cells = line.dropFirst().dropLast().components(separatedBy: "\",\"")
        return "\(cells[0])\t\(cells[2]) \(cells[1])"
    }

    /// An amount without zeros at its end.
    private static func plain(_ amount: some StringProtocol) -> String {
        guard amount.contains(".") else { return String(amount) }
        let digits = amount.reversed().drop { $0 == "0" }.drop { $0 == "." }
        return String(digits.reversed())
    }

    private static let script = """
        import sys
        from beancount import loader
        from beancount.core import realization
        entries, errors, _ = loader.load_file(sys.argv[1])
        assert not errors, errors
        for account in realization.iter_children(realization.realize(entries)):
            for position in account.balance:
                if account.account.startswith("Assets"):
                    units = position.units
                    print(f"{account.account}\\t{units.number:f} {units.currency}")
        """

    private func start(_ words: String...) throws -> ProgramRun {
        try ProgramRun(
            words, environment: ["LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent"])
    }

    private static func withFile<Value>(
        _ text: String, _ body: (String) throws -> Value
    ) throws -> Value {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("daybook-\(UUID().uuidString).journal")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try body(file.path)
    }
}
