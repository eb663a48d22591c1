/// Rules for declarations that are visible outside.
enum InterfaceRules {
    static let all = [
        publicOnlyInFacade, publicIsDocumented, typesAreDocumented, firstSentence, typedThrows,
    ]

    /// Ids and quantities, which are the same types in the facade and in every module below it.
    private static let shared = [
        "EventIDs", "MinorAmount", "Timestamp",
    ].map { "Sources/DaybookEncoding/\($0).swift" }

    static let publicOnlyInFacade = Rule(
        name: "only the facade is public",
        failing: [
            SourceFile(path: "Sources/DaybookLog/A.swift", text: "public struct A {}\n"),
            SourceFile(path: "Sources/DaybookLog/A.swift", text: "public import DaybookLMDB\n"),
            SourceFile(path: "Sources/DaybookLog/A.swift", text: "open class A {}\n"),
            SourceFile(path: "Migrations/A.swift", text: "struct A {\n    public let a = 1\n}\n"),
            SourceFile(path: "tools/daybook/A.swift", text: "public enum A {}\n"),
        ],
        passing: [
            SourceFile(path: "Sources/Daybook/A.swift", text: "/// A.\npublic struct A {}\n"),
            SourceFile(path: "Sources/DaybookLog/A.swift", text: "func publicKey() { open() }\n"),
            SourceFile(path: shared[0], text: "/// A.\npublic struct A {}\n"),
        ]
    ) { file in
        let isPublic = [
            "Daybook", "DaybookC", "DaybookFoundation", "DaybookTesting",
        ].contains(file.module)
        if file.isTest || isPublic || shared.contains(file.path) { return [] }
        return Pattern(#"\bpublic\b(?![ \t]*[(:.,=)])|\bopen[ \t]+(?:class|func|var)\b"#)
            .matches(in: file.code)
            .map { Breach(path: file.path, line: $0.line, what: "\($0.groups[0]) in a module") }
    }

    static let publicIsDocumented = Rule(
        name: "every public declaration says what it is",
        failing: [
            facade("public struct A {}\n"),
            facade("/// A.\npublic struct A {\n    public let b: Int\n}\n"),
            facade("// A.\npublic struct A {}\n"),
            facade("/// A.\n\npublic struct A {}\n"),
        ],
        passing: [
            facade("/// A.\npublic struct A {\n    /// B.\n    public let b: Int\n}\n"),
            facade("/// A.\n@frozen\n@available(*, deprecated)\npublic struct A {}\n"),
            facade("public import DaybookLog\npublic extension A {}\n"),
        ]
    ) { file in
        if file.isTest { return [] }
        return undocumented(publicDeclaration, in: file)
    }

    static let typesAreDocumented = Rule(
        name: "every type of a module says what it is",
        failing: [
            sample("package struct A {}\n"), sample("@safe\npackage final class A {}\n"),
            sample("package indirect enum A {}\n"),
        ],
        passing: [
            sample("/// A.\npackage struct A: ~Copyable {}\n"), sample("struct Inner {}\n"),
            sample("/// A.\n@safe\npackage final class A {}\n"),
        ]
    ) { file in
        if file.isTest { return [] }
        return undocumented(typeDeclaration, in: file)
    }

    static let firstSentence = Rule(
        name: "what others see is described by a first sentence of 100 characters at most",
        failing: [
            sample("/// \(letters(60))\n/// \(letters(60)).\npackage let a = 1\n"),
            sample("/// Of 3.5 \(letters(90)) it\n/// is so. It ends.\npackage let a = 1\n"),
        ],
        passing: [
            sample("/// \(letters(94)).\n/// More of it: \(letters(80)).\npackage let a = 1\n"),
            sample("/// Short\n///\n/// \(letters(90))\n/// and on and on.\npackage let a = 1\n"),
            sample("/// - `a`: one\n/// - `b`: two\npackage let a = 1\n"),
            sample("/// \(letters(101)).\nprivate let a = 1\n"),
        ]
    ) { file in
        guard !file.isTest, file.isSwift else { return [] }
        return documentations(in: file).compactMap { line, text in
            let sentence = firstSentence(of: text)
            guard sentence.count > 100 else { return nil }
            return Breach(
                path: file.path, line: line, what: "a first sentence of \(sentence.count)")
        }
    }

    static let typedThrows = Rule(
        name: "a public call of the facade says which type of error it throws",
        failing: [
            facade("public func a() throws {}\n"),
            facade("public nonisolated func a<B>(\n    _ b: (B) -> Void\n) async throws {}\n"),
            facade("public init(a: (Int, Int) = (1, 2)) throws {}\n"),
            facade("public var a: Int {\n    get throws { 1 }\n}\n"),
        ],
        passing: [
            facade("public func a(_ b: () throws -> Void) throws(E) {}\nfunc c() throws {}\n"),
            facade("public func a(_ b: () throws -> Void) async {}\n"),
            facade("public func a(_ b: (Int) async throws -> Void) async throws {}\n"),
            facade("public init(from decoder: any Decoder) throws {}\n"),
        ]
    ) { file in
        guard file.module == "Daybook" else { return [] }
        return untypedCall.matches(in: file.code).compactMap { match in
            // Errors of a caller's closure pass through, and those of a coder are any.
            guard passedOn.matches(in: match.groups[1]).isEmpty else { return nil }
            return Breach(path: file.path, line: match.line, what: "throws without a type")
        }
    }

    /// The comment above each declaration that others see: its line, and the first paragraph.
    private static func documentations(in file: SourceFile) -> [(line: Int, text: String)] {
        let lines = file.lines.map { $0.drop { $0 == " " } }
        return visibleDeclaration.matches(in: file.code).compactMap { match in
            var end = match.line - 1
            while end > 0, lines[end - 1].hasPrefix("@") { end -= 1 }
            var start = end
            while start > 0, lines[start - 1].hasPrefix("///") { start -= 1 }
            if start == end { return nil }
            let texts = lines[start..<end].map { $0.dropFirst(3).drop { $0 == " " } }
            let paragraph = texts.prefix { !$0.isEmpty && !$0.hasPrefix("- ") }
            return (start + 1, paragraph.joined(separator: " "))
        }
    }

    private static func firstSentence(of text: String) -> Substring {
        for end in text.indices where ".!?".contains(text[end]) {
            let next = text.index(after: end)
            if next == text.endIndex || text[next] == " " { return text[...end] }
        }
        return text[...]
    }

    /// The declarations that no documentation comment precedes, attributes between them aside.
    private static func undocumented(_ declaration: Pattern, in file: SourceFile) -> [Breach] {
        let lines = file.lines
        return declaration.matches(in: file.code).compactMap { match in
            var above = match.line - 2
            while above >= 0, lines[above].drop(while: { $0 == " " }).hasPrefix("@") { above -= 1 }
            if above >= 0, lines[above].drop(while: { $0 == " " }).hasPrefix("///") { return nil }
            return Breach(path: file.path, line: match.line, what: "no documentation")
        }
    }

    private static func letters(_ count: Int) -> String {
        String(repeating: "a", count: count)
    }

    private static func facade(_ text: String) -> SourceFile {
        SourceFile(path: "Sources/Daybook/A.swift", text: text)
    }

    private static func sample(_ text: String) -> SourceFile {
        SourceFile(path: "Sources/DaybookLog/A.swift", text: text)
    }

    /// A call that throws any error, with its parameters; these have parentheses in two depths.
    private static let untypedCall = Pattern(
        #"\bpublic[ \t][^\n({]*(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))\s*(?:async\s+)?"#
            + #"throws\b(?!\()|\bget[ \t]+(?:async[ \t]+)?throws\b(?!\()"#)
    private static let passedOn = Pattern(#"\bthrows[ \t]+->|\bany (?:De|En)coder\b"#)
    private static let visibleDeclaration = Pattern(
        #"^[ \t]*(?:@\w+(?:\([^)]*\))?[ \t]+)*(?:package|public)[ \t]+(?!import\b)"#)
    private static let publicDeclaration = Pattern(
        #"^[ \t]*(?:@\w+(?:\([^)]*\))?[ \t]+)*public[ \t]+(?!import\b|extension\b)"#)
    private static let typeDeclaration = Pattern(
        #"^[ \t]*package[ \t]+(?:(?:final|indirect)[ \t]+)?(?:struct|enum|class|actor|protocol)\b"#)
}
