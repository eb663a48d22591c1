import Foundation
import Testing
import TestSupport

/// Documents name only things that exist: files of the repository and targets of links.
struct DocumentTests {
    /// A Markdown document and its text.
    struct Document: Sendable, CustomTestStringConvertible {
        let path: String
        let text: String

        var testDescription: String { path }
    }

    static let documents: [Document] = {
        let names = FileManager.default.enumerator(
            atPath: Repository.root.appending(path: "docs").path())
        let paths = (names?.allObjects as? [String] ?? []).map { "docs/\($0)" }
        return (paths.filter { $0.hasSuffix(".md") } + ["README.md", "CHANGELOG.md"]).sorted()
            .compactMap { path in
                let file = Repository.root.appending(path: path)
                return (try? String(contentsOf: file, encoding: .utf8)).map {
                    Document(path: path, text: $0)
                }
            }
    }()

    /// Paths in code marks that begin with a folder of the repository; patterns are left out.
    private static let paths = Pattern(
        #"`((?:Sources|Tests|Migrations|tools|docs)/[\w+./-]+)(?:[ :][^`\n]*)?`"#)

    /// Links to files beside the document, without their anchors.
    private static let links = Pattern(#"\]\(([^)#:\s]+)(?:#[^)]*)?\)"#)

    /// The names in a document that nobody finds, with the line.
    private static func missing(in document: Document) -> [String] {
        let folder = Repository.root.appending(path: document.path).deletingLastPathComponent()
        let named = paths.matches(in: document.text).map {
            ($0.line, $0.groups[1], Repository.root)
        }
        let linked = links.matches(in: document.text).map { ($0.line, $0.groups[1], folder) }
        return (named + linked).compactMap { line, name, base in
            let path = base.appending(path: name).standardizedFileURL.path()
            let decoded = path.removingPercentEncoding ?? path
            let exists = FileManager.default.fileExists(atPath: decoded)
            return exists ? nil : "\(document.path):\(line): \(name)"
        }
    }

    @Test(arguments: documents)
    func `every file that a document names is there`(document: Document) {
        #expect(Self.missing(in: document) == [])
    }

    @Test func `a file that is not there is found out`() {
        let text =
            "See `Sources/Nowhere.swift`, `tools/test`\nand [this](../README.md), [that](No.md#a)."
        let found = Self.missing(in: Document(path: "docs/A.md", text: text))
        #expect(found == ["docs/A.md:1: Sources/Nowhere.swift", "docs/A.md:2: No.md"])
    }

    @Test func `the reader's walk names functions that its files have`() throws {
        let row = Pattern(#"^\| \d+\. \| `([^`]+)` \| ([^|]+) \|"#)
        let steps = row.matches(in: try Repository.text("docs/ARCHITECTURE.md"))
        #expect(steps.count >= 10)
        for step in steps {
            let code = try Repository.text("Sources/\(step.groups[1])")
            for name in Pattern(#"`(?:\w+\.)?(\w+)`"#).matches(in: step.groups[2]) {
                let declaration = "func \(name.groups[1])\\b|var \(name.groups[1])\\b"
                #expect(
                    !Pattern(declaration).matches(in: code).isEmpty,
                    "\(step.groups[1]): \(name.groups[1])")
            }
        }
    }

    @Test func `the documents are found`() {
        #expect(Self.documents.count > 20)
    }
}
