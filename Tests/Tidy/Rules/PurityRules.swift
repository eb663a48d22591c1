/// Rules that keep replay exact: pure modules know no clock, no chance, no order but their own.
enum PurityRules {
    static let all = [words, floatingPoint, globalVariables, unorderedIteration]

    /// Where pure code lies, as folders of `Sources`.
    static let pureFolders = [
        "DaybookEncoding", "DaybookCrypto", "DaybookChains", "DaybookDomain", "DaybookLinks",
        "DaybookReplay", "DaybookLog/Tree", "DaybookLog/Export", "DaybookNodes/Sandbox",
    ]

    /// Folders of pure modules that hold files open: a cache of past states.
    static let impureFolders = ["DaybookReplay/History"]

    /// Each word with a sample of its use.
    private static let forbidden: [(pattern: String, sample: String)] = [
        (#"\bFoundation\b"#, "let url = Foundation.URL(text)"),
        (#"\bGlibc\b"#, "let now = Glibc.time(nil)"),
        (#"\bDate\("#, "let now = Date()"),
        (#"\.random\b"#, "let nonce = UInt64.random(in: 0...9)"),
        (#"\.randomElement\b"#, "let coin = coins.randomElement()"),
        (#"\.shuffle(?:d)?\b"#, "let coins = coins.shuffled()"),
        (#"\bSystemRandomNumberGenerator\b"#, "var chance = SystemRandomNumberGenerator()"),
        (#"\bUUID\b"#, "let id = UUID()"),
        (#"\b(?:print|debugPrint|dump)\("#, "print(state)"),
        (#"\breadLine\("#, "let line = readLine()"),
        (#"\basync\b"#, "func decide() async {}"),
        (#"\bawait\b"#, "let tip = await node.tip"),
        (#"\bTask\b"#, "Task { work() }"),
        (#"\bactor[ \t]+[A-Z]"#, "actor Store {}"),
        (#"\b(?:Continuous|Suspending)Clock\b"#, "let clock = ContinuousClock()"),
        (#"\bhashValue\b"#, "let place = key.hashValue % 16"),
        // To say what of a value is hashed takes a `Hasher`; to make one takes chance.
        (#"\bHasher\("#, "var hasher = Hasher()"),
        (#"\bObjectIdentifier\b"#, "let id = ObjectIdentifier(node)"),
        (#"\b(?:CommandLine|ProcessInfo|getenv)\b"#, "let name = CommandLine.arguments[0]"),
        (#"\bimport Daybook(?:System|LMDB)\b"#, "package import DaybookSystem"),
        (#"\bLocale\b"#, "let text = amount.formatted(Locale.current)"),
    ]

    static let words = Rule(
        name: "pure modules have no clock, chance, concurrency, output or surroundings",
        failing: forbidden.map {
            SourceFile(path: "Sources/DaybookDomain/A.swift", text: "\($0.sample)\n")
        } + [
            SourceFile(path: "Sources/DaybookReplay/A.swift", text: #"let a = "\(UUID())""#),
            SourceFile(path: "Sources/DaybookLog/Tree/A.swift", text: "let a = UUID()\n"),
            SourceFile(path: "Migrations/Upcasters/A.swift", text: "let a = UUID()\n"),
        ],
        passing: [
            SourceFile(
                path: "Sources/DaybookDomain/A.swift",
                text: """
                    // Date() and .random would make replay differ.
                    let text = "print(UUID())"
                    let updated = UpdateDate(from: event, asynchronous: true)
                    let fingerprint = fingerprint(of: key)
                    """),
            SourceFile(path: "Sources/Daybook/A.swift", text: "func f() async { print(Date()) }\n"),
            SourceFile(path: "Sources/DaybookLog/A.swift", text: "import DaybookSystem\n"),
            SourceFile(
                path: "Sources/DaybookReplay/History/A.swift", text: "import DaybookSystem\n"),
        ]
    ) { file in
        guard isPure(file) else { return [] }
        return patterns.flatMap { pattern in
            pattern.matches(in: file.code).map {
                Breach(path: file.path, line: $0.line, what: "\($0.groups[0]) in a pure module")
            }
        }
    }

    static let floatingPoint = Rule(
        name: "there is no floating point near money or the log",
        failing: [
            SourceFile(path: "Sources/DaybookChains/A.swift", text: "var fee: Double\n"),
            SourceFile(path: "Sources/DaybookLog/A.swift", text: "let a = Float(1)\n"),
            SourceFile(path: "Sources/Daybook/A.swift", text: "let fee = size * 1.5\n"),
            SourceFile(path: "Migrations/A.swift", text: "let a: Float16\n"),
        ],
        passing: [
            SourceFile(path: "Sources/DaybookChains/A.swift", text: "let a = $0.0 + b.0.1\n"),
            SourceFile(path: "Sources/DaybookChains/A.swift", text: "let a = \"1.5 Double\"\n"),
            SourceFile(path: "Sources/DaybookChains/A.swift", text: "case 0...9: floating()\n"),
            SourceFile(path: "tools/daybook/A.swift", text: "let seconds: Double = 1.5\n"),
        ]
    ) { file in
        guard file.path.hasPrefix("Sources/") || file.path.hasPrefix("Migrations/") else {
            return []
        }
        let type = #"\b(?:Double|Float(?:16|32|64|80)?|CGFloat)\b"#
        return Pattern(#"\#(type)|(?<![\w.$])[0-9][0-9_]*\.[0-9]"#).matches(in: file.code).map {
            Breach(path: file.path, line: $0.line, what: "floating point: \($0.groups[0])")
        }
    }

    static let globalVariables = Rule(
        name: "pure modules have no variables that outlive a call",
        failing: [
            SourceFile(path: "Sources/DaybookLinks/A.swift", text: "var cache: [Int] = []\n"),
            SourceFile(path: "Sources/DaybookLinks/A.swift", text: "package var seen = 0\n"),
            SourceFile(
                path: "Sources/DaybookLinks/A.swift", text: "enum A {\n    static var a = 0\n}\n"),
            SourceFile(
                path: "Sources/DaybookLinks/A.swift",
                text: "nonisolated(unsafe) private var a: Int?\n"),
        ],
        passing: [
            SourceFile(
                path: "Sources/DaybookLinks/A.swift",
                text: """
                    struct A {
                        var field = 0
                        static let limit = 3
                        static var computed: Int { 3 }
                        func f() {
                            var local = 0
                        }
                    }
                    """)
        ]
    ) { file in
        guard isPure(file) else { return [] }
        let modifiers = #"(?:(?:\w+(?:\(\w+\))?|@\w+)[ \t]+)*"#
        let stored = #"var[ \t]+\w+[^{\n]*(?:=.*)?$"#
        let global = Pattern("^\(modifiers)\(stored)").matches(in: file.code)
        let shared = Pattern(#"^[ \t]*\#(modifiers)static[ \t]+\#(modifiers)\#(stored)"#)
            .matches(in: file.code)
        return (global + shared).map {
            Breach(path: file.path, line: $0.line, what: "a variable that outlives a call")
        }
    }

    static let unorderedIteration = Rule(
        name: "pure modules never go through a set or a dictionary in its own order",
        failing: [
            "let seen: Set<Bytes>\nfor key in seen {}\n",
            "var totals: [String: Int] = [:]\nfor (name, total) in totals {}\n",
            "var totals = [String: Int]()\nlet all = totals.map { $0 }\n",
            "let names = Set(texts)\nreturn Array(names)\n",
            "var d = Dictionary<Int, Int>()\nfor value in self.d.values {}\n",
            "func f(_ names: Set<Int>) { names.forEach { g($0) } }\n",
            "let d = Dictionary(grouping: a, by: f)\nreturn d.keys.first\n",
            "for name in Set(names) {}\n",
        ].map { SourceFile(path: "Sources/DaybookReplay/Projections/A.swift", text: $0) },
        passing: [
            "let seen: Set<Bytes>\nif seen.contains(key) { return seen.count }\n",
            "var totals: [String: Int] = [:]\nfor name in totals.keys.sorted() {}\n",
            "var totals: [String: Int] = [:]\nfor name in names { totals[name] = 1 }\n",
            "let pairs: [(name: String, Int)]\nfor pair in pairs {}\n",
            "let all = isEmpty ? [] : names\nfor name in all {}\n",
            "let totals: KeyValuePairs<String, Int> = [:]\nfor pair in totals {}\n",
        ].map { SourceFile(path: "Sources/DaybookReplay/Projections/A.swift", text: $0) }
    ) { file in
        guard isPure(file) else { return [] }
        return unorderedNames(in: file).flatMap { name in
            let subject = #"\b(?:self\.)?\#(name)(?:\.(?:keys|values))?"#
            let through = [
                #"\bin[ \t]+\#(subject)[ \t]*(?:\{|where\b)"#,
                #"\#(subject)\.(?:map|compactMap|flatMap|forEach|reduce|first|enumerated|prefix"#
                    + #"|dropFirst|popFirst|lazy|joined|makeIterator)\b"#,
                #"\bArray\([ \t]*\#(subject)[ \t]*\)"#,
            ].joined(separator: "|")
            return Pattern(through).matches(in: file.code).map {
                Breach(path: file.path, line: $0.line, what: "goes through \(name) unordered")
            }
        } + Pattern(#"\bin[ \t]+(?:Set|Dictionary)\b"#).matches(in: file.code).map {
            Breach(path: file.path, line: $0.line, what: "goes through a set unordered")
        }
    }

    /// The names that a file declares as a set or a dictionary.
    private static func unorderedNames(in file: SourceFile) -> [String] {
        let entry = #"\[+[\w.<>?\]]+[ \t]*:[ \t]*[^\n=]*\]"#
        let type = #"(?:Set<|Dictionary<|\#(entry))"#
        let value = #"(?:(?:Set|Dictionary)(?:<[^\n]*>)?\(|\#(entry)\(|\[:\])"#
        let declared = Pattern(#"\b(\w+)[ \t]*:[ \t]*(?:inout[ \t]+)?\#(type)"#)
        let assigned = Pattern(#"\b(?:let|var)[ \t]+(\w+)[ \t]*=[ \t]*\#(value)"#)
        let names = [declared, assigned].flatMap { $0.matches(in: file.code).map { $0.groups[1] } }
        return Set(names).sorted()
    }

    private static func isPure(_ file: SourceFile) -> Bool {
        if file.path.hasPrefix("Migrations/Upcasters/") { return true }
        func lies(in folder: String) -> Bool { file.path.hasPrefix("Sources/\(folder)/") }
        return pureFolders.contains(where: lies) && !impureFolders.contains(where: lies)
    }

    private static let patterns = forbidden.map { Pattern($0.pattern) }
}
