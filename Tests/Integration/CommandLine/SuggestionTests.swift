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

    @Test(arguments: ["", "x", "frobnicate", "lo\u{301}\u{302}\u{303}", "add", "oven-ready"])
    func `another word finds none`(word: String) {
        #expect(Suggestion.nearest(to: word, among: Self.words) == nil)
    }

    @Test(arguments: [
        (["aprove", "1"], "'approve'"), (["walet", "list"], "'wallet'"),
        (["wallet", "lst"], "'list'"), (["fund"], "'sandbox fund'"),
        (["approve", "1", "--walet", "2"], "'--wallet'"), (["balance", "--al"], "'--at'"),
        (["balance", "--hoem", "x"], "'--home'"),
    ])
    func `a wrong call offers the word that was meant`(words: [String], meant: String) throws {
        let answer = try Call.run(["\(Call.folder)/daybook"] + words)
        #expect(answer.status == 2)
        #expect(answer.lastWords.contains("did you mean \(meant)?"), "\(answer.error)")
    }
}
