/// Rules for the look of a file.
enum ShapeRules {
    static let all = [
        folderNames, fileLength, shortFile, lineLength, testName, functionLength, trailingBlanks,
        lastLine, unfinished,
    ]

    static let folderNames = Rule(
        name: "folders are named by the domain, never by a pattern",
        failing: [
            SourceFile(path: "Sources/DaybookDomain/Utils/A.swift", text: ""),
            SourceFile(path: "Sources/DaybookChains/Extensions/A.swift", text: ""),
            SourceFile(path: "Tests/Unit/DaybookLog/helpers/A.swift", text: ""),
        ],
        passing: [
            SourceFile(path: "Sources/DaybookDomain/Decider/A.swift", text: ""),
            SourceFile(path: "Sources/DaybookDomain/Utils.swift", text: ""),
        ]
    ) { file in
        let patterns: Set<String> = [
            "utils", "util", "utilities", "helpers", "helper", "managers", "extensions", "models",
            "common", "shared", "misc", "base", "core",
        ]
        return file.folders.filter { patterns.contains($0.lowercased()) }.map {
            Breach(path: file.path, line: 1, what: "a folder named \($0)")
        }
    }

    static let fileLength = Rule(
        name: "a file has 500 lines at most",
        failing: [sample(String(repeating: "\n", count: 501))],
        passing: [sample(String(repeating: "\n", count: 500))],
        exceptions: [
            "Sources/DaybookPage/Resources/page.js": "the page loads one script",
            "tools/benchmark/baselines/application.c": "a program that is compared as a whole",
        ]
    ) { file in
        let count = file.text.utf8.count { $0 == UInt8(ascii: "\n") }
        guard count > 500 else { return [] }
        return [Breach(path: file.path, line: 501, what: "\(count) lines")]
    }

    static let shortFile = Rule(
        name: "a file has 25 lines at least",
        failing: [sample(String(repeating: "\n", count: 24))],
        passing: [
            sample(String(repeating: "\n", count: 25)), SourceFile(path: "tools/a", text: ""),
        ],
        exceptions: [
            "Migrations/M0010_CreateTables.swift": "a migration is a file of its own",
            "Sources/DaybookFoundation/DaybookError+LocalizedError.swift": "a conformance",
            "Sources/DaybookFoundation/Timestamp+Date.swift": "two conversions",
            "tools/daybook-replay/Main.swift": "where the program begins",
        ]
    ) { file in
        let count = file.text.utf8.count { $0 == UInt8(ascii: "\n") }
        guard file.isSwift, count < 25 else { return [] }
        return [Breach(path: file.path, line: 1, what: "only \(count) lines")]
    }

    static let lineLength = Rule(
        name: "a line has 100 columns at most",
        failing: [sample("\n" + String(repeating: "é", count: 101) + "\n")],
        passing: [sample(String(repeating: "é", count: 100) + "\n")]
    ) { file in
        file.lines.enumerated().filter { $0.element.count > 100 }.map {
            Breach(path: file.path, line: $0.offset + 1, what: "\($0.element.count) columns")
        }
    }

    static let testName = Rule(
        name: "a test's name has no mark that XML reserves",
        failing: ["\"", "&", "<"].map { sample("    @Test func" + " `a \($0) b`() {}\n") },
        passing: [sample("@Test func `it isn't one`() {}\n"), sample("let a = \"b\" // `c`\n")]
    ) { file in
        // Swift Testing writes names into its report as they are, which then can't be read.
        file.lines.enumerated().filter { line in
            guard let start = line.element.firstRange(of: "func" + " `") else { return false }
            return line.element[start.upperBound...].prefix { $0 != "`" }.contains {
                "\"&<".contains($0)
            }
        }.map { Breach(path: file.path, line: $0.offset + 1, what: "a reserved mark") }
    }

    static let functionLength = Rule(
        name: "a function has 60 lines at most",
        failing: [
            sample(function(lines: 61)),
            sample("struct A {\n" + function(lines: 61, indentation: "    ") + "}\n"),
        ],
        passing: [
            sample(function(lines: 60)), sample("func f()\nvar a = 0\n" + function(lines: 60)),
        ]
    ) { file in
        let lines = file.codeLines
        return functionStart.matches(in: file.code).compactMap { start in
            let indentation = start.groups[1]
            let inner = indentation + " "
            // A one-line function and a protocol's requirement have no end of their own.
            let rest = lines.dropFirst(start.line)
            let end = rest.firstIndex {
                !$0.hasPrefix(inner) && !$0.hasPrefix(indentation + ")")
                    && !$0.allSatisfy(\.isWhitespace)
            }
            guard let end, lines[end].hasPrefix(indentation + "}") else { return nil }
            let count = end - start.line + 2
            if count <= 60 { return nil }
            return Breach(path: file.path, line: start.line, what: "a function of \(count) lines")
        }
    }

    static let trailingBlanks = Rule(
        name: "no line ends in blanks, none has a tab",
        failing: ["let a = 1 \n", "   \n", "\tlet a = 1\n", "a\r\n"].map { sample($0) },
        passing: [sample("let a = 1\n\n    let b = 2\n")]
    ) { file in
        file.text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
            .filter { _, line in line.last == " " || line.contains { $0 == "\t" || $0 == "\r" } }
            .map { Breach(path: file.path, line: $0.offset + 1, what: "a trailing blank or tab") }
    }

    static let lastLine = Rule(
        name: "a file ends with one line break",
        failing: [sample("let a = 1"), sample("let a = 1\n\n")],
        passing: [sample("let a = 1\n"), sample("")]
    ) { file in
        if file.text.isEmpty || file.text.hasSuffix("\n") && !file.text.hasSuffix("\n\n") {
            return []
        }
        return [Breach(path: file.path, line: file.lines.count, what: "not one line break")]
    }

    static let unfinished = Rule(
        name: "nothing is left for later",
        failing: ["TO" + "DO", "FIX" + "ME", "XX" + "X", "for" + " now"].map {
            sample("let a = 1 // \($0): think\n")
        },
        passing: [sample("// Forever, for nowhere is a todo list.\n")]
    ) { file in
        let words = Pattern("\\b(?:TO" + "DO|FIX" + "ME|XX" + "X|HA" + "CK|for" + " now)\\b")
        return words.matches(in: file.text).map {
            Breach(path: file.path, line: $0.line, what: "left for later: \($0.groups[0])")
        }
    }

    private static func sample(_ text: String) -> SourceFile {
        SourceFile(path: "Sources/DaybookDomain/A.swift", text: text)
    }

    private static func function(lines: Int, indentation: String = "") -> String {
        let body = String(repeating: "\(indentation)    work()\n", count: lines - 2)
        return "\(indentation)func f() {\n\(body)\(indentation)}\n"
    }

    private static let functionStart = Pattern(
        #"^([ \t]*)(?:[\w@()]+[ \t]+)*(?:func[ \t]|init\b|deinit\b|subscript\b)"#)
}
