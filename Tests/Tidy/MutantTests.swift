import Foundation
import Testing
import TestSupport

/// The edits that `tools/dev` makes to copies of the sources are kept up to date.
struct MutantTests {
    @Test func `each bug of the list of mutants still finds its place`() throws {
        let check = try ProgramRun([Repository.path("tools/dev"), "mutants", "--check"])
        #expect(check.status == 0, "\(check.output)")
    }

    @Test func `each edit of the recipe for a chain still finds its place`() throws {
        let check = try ProgramRun([Repository.path("tools/dev"), "recipes", "--check"])
        #expect(check.status == 0, "\(check.output)")
    }

    @Test func `each edit that makes the second version still finds its place`() throws {
        let check = try ProgramRun([Repository.path("tools/dev"), "releases", "--check"])
        #expect(check.status == 0, "\(check.output)")
    }

    @Test func `each bug of the list names tests that exist`() throws {
        let list = try Repository.text("Tests/Support/Mutants/mutants.toml")
        let manifest = try Repository.text("Package.swift")
        let targets = Pattern(#"\btests\(\s*"(\w+)""#).matches(in: manifest)
            .map { $0.groups[1] + "Tests" }
        let suite = Pattern(#"\b(?:struct|class|extension)[ \t]+(\w+)"#)
        let suites = Repository.files.filter { $0.isTest && $0.isSwift }
            .flatMap { suite.matches(in: $0.code).map { $0.groups[1] } }
        let names = (targets + suites).joined(separator: " ")
        let filters = Pattern(#"^kills = "([^"]*)""#).matches(in: list)
        #expect(filters.count > 100)
        for filter in filters {
            // A filter is a pattern: the start of a name stands for all suites that have it.
            for part in filter.groups[1].split(whereSeparator: { "|.".contains($0) }) {
                #expect(names.range(of: part) != nil, "line \(filter.line): \(part)")
            }
        }
    }
}
