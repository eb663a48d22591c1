import TestSupport

/// Rules for the tree of files as a whole.
enum TreeRules {
    static let all = [folderSize, uniqueTypes]

    static let folderSize = TreeRule(
        name: "a folder has at least three files or folders",
        failing: [
            tree("Sources/A/B/a.swift", "Sources/A/B/b.swift"),
            tree("tools/a/x.py", "tools/b/y.py", "tools/b/z.py", "tools/b/u.py"),
        ],
        passing: [
            tree("tools/a/x.py", "tools/a/y.py", "tools/a/z.py"),
            tree("docs/a.md", "Tests/Fixtures/one/a.json", "Package.swift"),
            tree("Tests/Releases/1.0.0/files/store/settings.json"),
        ],
        exceptions: [
            "Sources/CCurl": "a module map and a header", "Sources/CLMDB": "the same",
            "Sources/CDaybook": "the same", "Sources/COpenSSL": "the same",
            "Sources/CMicroHTTPD": "the same", "Sources/CQREncode": "the same",
            "Sources/CPostgres": "the same",
            "Sources/CSecp256k1": "the same",
            "Sources/Daybook/Daybook.docc": "DocC wants a folder",
            "Migrations/Upcasters": "a module that sees no type of the domain",
            "Sources/DaybookFoundation": "the only module that may load Foundation",
            "Sources/DaybookNodes/Sandbox": "one chain of UTXO, one of ICON",
            "Tests/Faults/Canaries": "scripts that import each other, and no others",
            "Tests/Faults/FaultTracer": "a program is a folder",
            "Tests/Faults/LogDriver": "a program is a folder",
            "Tests/Simulation/Tests": "a suite for each of two libraries",
            "Tests/Support/Counts": "a library that is preloaded, and what was counted",
            "Tests/Support/LinkPrinter": "a library is a folder",
            "Tests/Support/Mutants": "a list that only a tool reads",
            "Tests/Support/NodeServer/ICON": "one chain of UTXO, one of ICON",
        ]
    ) { tree in
        var contents: [String: Set<Substring>] = [:]
        for path in tree.paths where isCode(path) {
            let parts = path.split(separator: "/")
            for depth in parts.indices.dropLast() {
                contents[parts[...depth].joined(separator: "/"), default: []]
                    .insert(parts[depth + 1])
            }
        }
        let tops: Set<String> = ["Sources", "Tests", "tools"]
        return contents.filter { $0.value.count < 3 && !tops.contains($0.key) }
            .sorted { $0.key < $1.key }
            .map { Breach(path: $0.key, line: 1, what: "a folder of \($0.value.count)") }
    }

    static let uniqueTypes = TreeRule(
        name: "a type's name is unique in the repository",
        failing: [
            sources([
                "Sources/A/a.swift": "struct Entry {}\n", "tools/b/b.swift": "enum Entry {}\n",
            ]),
            sources([
                "Sources/A/a.swift": "package final class Entry {}\n",
                "Migrations/a.swift": "private actor Entry: Sendable {}\n",
            ]),
            sources([
                "Sources/A/a.swift": "struct Entry {}\n", "Tests/b.swift": "struct Entry {}\n",
            ]),
        ],
        passing: [
            sources([
                "Sources/A/a.swift": "struct Entry {\n    struct Key {}\n}\n",
                "Sources/B/b.swift": "struct Key {}\nextension Entry {}\n",
            ])
        ],
        exceptions: [
            "Main": "each program has its own",
            "Misuse": "each driver of the tests has its own",
        ]
    ) { tree in
        var places: [String: [String]] = [:]
        for file in tree.files where file.isSwift {
            for match in typeDeclaration.matches(in: file.code) {
                places[match.groups[1], default: []].append("\(file.path):\(match.line)")
            }
        }
        return places.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }
            .map { Breach(path: $0.key, line: 1, what: $0.value.joined(separator: " and ")) }
    }

    /// Fixtures lie in folders by what they are for, however few; documents by whom they are for.
    private static func isCode(_ path: String) -> Bool {
        ["Sources/", "Migrations/", "tools/", "Tests/"].contains { path.hasPrefix($0) }
            && !Repository.isFixture(path)
    }

    private static func tree(_ paths: String...) -> SourceTree { SourceTree(paths: paths) }

    private static func sources(_ texts: [String: String]) -> SourceTree {
        SourceTree(
            paths: texts.keys.sorted(),
            files: texts.map { SourceFile(path: $0.key, text: $0.value) })
    }

    private static let typeDeclaration = Pattern(
        #"^(?!import\b)(?:@\w+(?:\([^)]*\))?[ \t]+)*(?:\w+[ \t]+)*"#
            + #"(?:struct|class|enum|actor|protocol)[ \t]+(\w+)"#)
}
