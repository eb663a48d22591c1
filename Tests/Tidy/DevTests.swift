import Foundation
import Testing
import TestSupport

/// `tools/dev`, the command for work on Daybook itself, and its verbs.
struct DevTests {
    private static let verbs = (try? FileManager.default.contentsOfDirectory(
        atPath: Repository.root.appending(path: "tools/verbs").path()))?
        .filter { $0.hasSuffix(".py") }.map { String($0.dropLast(3)) }.sorted() ?? []

    @Test(arguments: [[], ["help"], ["--help"]])
    func `it lists each verb with one line`(words: [String]) throws {
        let (status, text) = try Self.dev(words)
        let list = text.components(separatedBy: "\nverbs:\n").last?.split(separator: "\n") ?? []
        #expect(status == 0)
        #expect(list.map { String($0.split(separator: " ")[0]) } == Self.verbs)
        for line in list { #expect(line.hasSuffix(".") && line.count <= 100, "\(line)") }
    }

    @Test(arguments: verbs)
    func `each verb has a help with its usage`(verb: String) throws {
        let (status, text) = try Self.dev([verb, "--help"])
        #expect(status == 0)
        #expect(text.contains("\n\nusage: tools/dev \(verb)"), "\(text)")
        #expect(try Self.dev(["help", verb]).text == text)
    }

    @Test func `an unknown verb is an error that offers the nearest one`() throws {
        let (status, text) = try Self.dev(["simulat", "4"])
        #expect(status == 2)
        #expect(text == "tools/dev: there is no verb simulat; did you mean simulate?\n")
        #expect(try Self.dev(["xyz"]) == (
            2, "tools/dev: there is no verb xyz; tools/dev help lists the verbs\n"))
    }

    @Test(arguments: [
        ["soak"], ["soak", "0"], ["fuzz", "--runs", "x"], ["fuzz", "links", "parse"],
        ["sanitize", "memory"], ["golden"], ["docs", "all"], ["read-log"], ["verify-export"],
        ["stress", "ten"], ["counts", "--recrod"], ["table-sizes"], ["build-c", "a", "b"],
        ["build-wheel", "a", "b"], ["methods", "--chek"], ["python-package", "a", "b"],
        ["text-tables"], ["release"], ["release", "1.0.0", "tests"], ["fixtures", "a", "b"],
        ["releases", "--chek"], ["interfaces", "a"],
    ])
    func `wrong arguments end with status 2 and the usage`(words: [String]) throws {
        let (status, text) = try Self.dev(words)
        #expect(status == 2)
        #expect(text.contains("usage: tools/dev \(words[0])"), "\(text)")
    }

    @Test func `a version that the programs don't have is not released`() throws {
        let (status, text) = try Self.dev(["release", "99.0.0", "--check"])
        #expect(status == 1)
        #expect(text.contains("release: the programs' version is "), "\(text)")
        #expect(text.contains("release: the head of CHANGELOG.md is not `## 99.0.0`"), "\(text)")
    }

    @Test(arguments: released) func `a version is not released twice`(version: String) throws {
        let (status, text) = try Self.dev(["release", version, "--check"])
        #expect(status == 1)
        #expect(text.contains("the fixtures of a release are made once"), "\(text)")
    }

    private static let released = ((try? FileManager.default.contentsOfDirectory(
        atPath: Repository.path("Tests/Releases"))) ?? [])
        .filter { Repository.isFolder("Tests/Releases/\($0)") }

    private static func dev(_ words: [String]) throws -> (status: Int32, text: String) {
        let run = try ProgramRun([Repository.path("tools/dev")] + words)
        return (run.status, run.output)
    }
}
