import Testing
import TestSupport

struct TidyTests {
    static let rules =
        ModuleRules.all + PurityRules.all + ShapeRules.all + SafetyRules.all + InterfaceRules.all
        + ParameterRules.all + EnglishRules.all

    @Test(arguments: rules)
    func `every file keeps the rule`(rule: Rule) {
        for file in Repository.files where rule.exceptions[file.path] == nil {
            for finding in rule.check(file) {
                Issue.record("\(finding)")
            }
        }
    }

    @Test(arguments: rules)
    func `the samples that break the rule are found out`(rule: Rule) {
        #expect(!rule.failing.isEmpty)
        for sample in rule.failing {
            #expect(rule.check(sample) != [], "\(sample.path): \(sample.text)")
        }
    }

    @Test(arguments: rules)
    func `the samples that keep the rule are let be`(rule: Rule) {
        #expect(!rule.passing.isEmpty)
        for sample in rule.passing {
            #expect(rule.check(sample) == [], "\(sample.path): \(sample.text)")
        }
    }

    @Test(arguments: rules)
    func `an exception goes when it is no longer needed`(rule: Rule) {
        for path in rule.exceptions.keys {
            let file = Repository.files.first { $0.path == path }
            #expect(file.map { rule.check($0) != [] } == true, "\(path)")
        }
    }

    @Test(arguments: TreeRules.all)
    func `the tree keeps the rule`(rule: TreeRule) {
        for finding in rule.check(Repository.tree) where rule.exceptions[finding.path] == nil {
            Issue.record("\(finding)")
        }
    }

    @Test(arguments: TreeRules.all)
    func `the trees that break the rule are found out, and those that keep it are let be`(
        rule: TreeRule
    ) {
        #expect(!rule.failing.isEmpty && !rule.passing.isEmpty)
        for sample in rule.failing { #expect(rule.check(sample) != [], "\(sample)") }
        for sample in rule.passing { #expect(rule.check(sample) == [], "\(sample)") }
    }

    @Test(arguments: TreeRules.all)
    func `an exception of the tree goes when it is no longer needed`(rule: TreeRule) {
        let found = Set(rule.check(Repository.tree).map(\.path))
        for path in rule.exceptions.keys { #expect(found.contains(path), "\(path)") }
    }

    @Test func `the repository's files are all seen`() {
        let paths = Set(Repository.files.map(\.path))
        let some = [
            "Package.swift", "Sources/DaybookEncoding/Bytes.swift", "tools/daybook/Main.swift",
            "Tests/Tidy/TidyTests.swift", "Migrations/Migrations.swift", "tools/test",
            ".ci/run", "Sources/DaybookPage/Resources/page.js",
            "Sources/DaybookPage/Resources/page.css",
        ]
        for path in some { #expect(paths.contains(path), "\(path)") }
    }

    @Test func `a finding names the file, the line and what is wrong`() {
        let file = SourceFile(path: "Sources/DaybookDomain/A.swift", text: "\n\nlet a = Date()\n")
        #expect(
            PurityRules.words.check(file).map(\.description)
                == ["Sources/DaybookDomain/A.swift:3: Date( in a pure module"])
    }
}
