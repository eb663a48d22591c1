@testable import DaybookCommands
import Testing

struct SuggestionTests {
    private static let words = ["approve", "balance", "bump", "backup", "log", "open", "wallet"]

    @Test(arguments: [
        ("aprove", "approve"), ("aprpove", "approve"), ("balances", "balance"), ("bmup", "bump"),
        ("lg", "log"), ("wlalet", "wallet"), ("opne", "open"),
    ])
    func `a slip of the fingers finds the word`(slip: String, word: String) {
        #expect(Suggestion.nearest(to: slip, among: Self.words) == word)
    }

    @Test(arguments: [
        "", "x", "frobnicate", "lo\u{301}\u{302}\u{303}", "add", "oven-ready", "sync",
    ])
    func `another word finds none`(word: String) {
        #expect(Suggestion.nearest(to: word, among: Self.words) == nil)
    }

    @Test(arguments: [
        (
            ["wallet", "add", "--chain", "Dash", "--new"],
            "--chain takes dash, axe or icon, not 'Dash'; did you mean 'dash'?"
        ),
        (
            ["wallet", "add", "--chain", "bitcoin", "--new"],
            "--chain takes dash, axe or icon, not 'bitcoin'"
        ),
        (
            ["wallet", "add", "--chain", "dash", "--network", "main", "--new"],
            "--network takes sandbox, regtest, testnet or mainnet, not 'main'"
        ),
        (
            ["node", "set", "dash", "sandbox", "http://127.0.0.1:1/"],
            "NETWORK takes regtest, testnet or mainnet, not 'sandbox'"
        ),
        (
            ["export", "f.x", "--format", "pdf"],
            "--format takes daybook, jsonl, csv, hledger, ledger or beancount, not 'pdf'"
        ),
        (["completion", "tcsh"], "completion takes bash, zsh or fish, not 'tcsh'"),
    ])
    func `a word that is none of a few names these`(words: [String], sentence: String) throws {
        let scene = try Scene()
        let answer = try Programs.run(
            [Programs.daybook] + words, environment: ["DAYBOOK_HOME": scene.home])
        #expect(answer.status == 2)
        #expect(answer.lastWords.contains(sentence + " (usage)"), "\(answer.error)")
    }

    @Test(arguments: [
        (["aprove", "1"], "'approve'"), (["walet", "list"], "'wallet'"),
        (["wallet", "lst"], "'list'"), (["fund"], "'sandbox fund'"),
        (["approve", "1", "--walet", "2"], "'--wallet'"), (["balance", "--al"], "'--at'"),
        (["balance", "--hoem", "x"], "'--home'"),
    ])
    func `a wrong call offers the word that was meant`(words: [String], meant: String) throws {
        let answer = try Programs.run([Programs.daybook] + words)
        #expect(answer.status == 2)
        #expect(answer.lastWords.contains("did you mean \(meant)?"), "\(answer.error)")
    }
}
