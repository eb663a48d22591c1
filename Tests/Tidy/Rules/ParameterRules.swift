import Foundation

/// How functions are called.
enum ParameterRules {
    static let all = [unlabelled]

    static let unlabelled = Rule(
        name: "a function has at most three parameters without a label",
        failing: [
            sample("func f(_ a: Int, _ b: Int, _ c: Int, _ d: Int) {}\n"),
            sample("init<A>(\n    _ a: A, _ b: [Int: Int], d: Int, _ e: Int = 3, _ f: A\n) {}\n"),
            sample("func f<A>(_ a: (Int, Int), _ b: inout A, _ c: borrowing A, _ d: Int) {}\n"),
            sample("subscript(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> Int { 0 }\n"),
        ],
        passing: [
            sample("func f(_ a: Int, _ b: Int, _ c: Int, d: Int) {}\n"),
            sample("func f(_ a: (_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> Void) {}\n"),
            sample("func f() { g(_: 1, _: 2) }\nfunc g(_ a: Int, _ b: Int = f(1, 2, 3, 4)) {}\n"),
        ],
        exceptions: ["Sources/DaybookC/Functions.swift": "C has no labels"]
    ) { file in
        if file.isTest { return [] }
        return lists(in: file.code).compactMap { line, parameters in
            let count = parameters.count { $0.hasPrefix("_ ") }
            if count <= 3 { return nil }
            return Breach(path: file.path, line: line, what: "\(count) parameters without a label")
        }
    }

    /// The parameters of each function, as written, and the line where the function begins.
    private static func lists(in code: String) -> [(line: Int, parameters: [String])] {
        let text = Array(code.unicodeScalars)
        return declaration.ranges(in: code).map { line, range in
            var parameters: [String] = []
            var current = String.UnicodeScalarView()
            var depth = 1
            for scalar in text[range.upperBound...] {
                if "([{".unicodeScalars.contains(scalar) { depth += 1 }
                if ")]}".unicodeScalars.contains(scalar) { depth -= 1 }
                if depth == 0 { break }
                if depth == 1, scalar == "," {
                    parameters.append(trimmed(current))
                    current = String.UnicodeScalarView()
                } else {
                    current.append(scalar)
                }
            }
            return (line, parameters + [trimmed(current)])
        }
    }

    private static func trimmed(_ parameter: String.UnicodeScalarView) -> String {
        String(parameter).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func sample(_ text: String) -> SourceFile {
        SourceFile(path: "Sources/DaybookLog/A.swift", text: text)
    }

    /// Up to the parenthesis that opens the parameters.
    private static let declaration = Pattern(
        #"\b(?:func[ \t]+[^\s(<]+|init[?!]?|subscript)[ \t]*(?:<[^>()]*>)?\("#)
}
